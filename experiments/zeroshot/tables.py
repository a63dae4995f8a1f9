"""Tables of attributes, written by hand from what the classes look like, before any of them was scored.

Whoever changes a table after seeing scores should say so here. Nobody has.
"""

from shortlist.zeroshot import AttributeTable


def table(classes, attributes):
    return AttributeTable.of({name: having.split() for name, having in attributes.items()}, classes=classes)


DIGITS = table(
    list("0123456789"),
    {
        "closed loop": "0 6 8 9",
        "loop above": "8 9",
        "loop below": "6 8",
        "upright stroke": "1 4 7 9",
        "bar on top": "5 7",
        "round top": "0 2 3 8 9",
        "round foot": "0 3 5 6 8",
        "open to the left": "2 3 5 7 9",
        "open to the right": "2 5 6",
        "ink upper left": "0 4 5 6 8 9",
        "ink upper right": "0 1 2 3 4 7 8 9",
        "ink lower left": "0 2 6 8",
        "ink lower right": "0 1 3 4 5 6 7 8 9",
        "ink in the middle": "1 2 3 4 5 6 8 9",
        "left-right symmetric": "0 1 8",
        "top-bottom symmetric": "0 1 3 8",
        "strokes cross": "4 8",
        "long diagonal": "2 7",
    },
)

FASHION = table(
    ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"],
    {
        "sleeves": "t-shirt pullover coat shirt",
        "long sleeves": "pullover coat shirt",
        "covers the torso": "t-shirt pullover dress coat shirt",
        "covers the legs": "trouser dress",
        "worn on the foot": "sandal sneaker boot",
        "straps": "sandal bag",
        "heel": "sandal boot",
        "covers the ankle": "trouser boot",
        "buttons": "coat shirt",
        "gaps": "trouser sandal bag",
        "wider than tall": "sandal sneaker bag",
        "tall and narrow": "trouser dress",
        "stiff": "sneaker boot bag",
        "worn over other clothes": "pullover coat",
        "below the waist": "trouser sandal sneaker boot",
        "laces": "sneaker boot",
        "round neckline": "t-shirt pullover dress",
    },
)

ZOO = table(
    ["mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate"],
    {
        "warm-blooded": "mammal bird",
        "lays eggs": "bird reptile fish amphibian insect invertebrate",
        "backbone": "mammal bird reptile fish amphibian",
        "breathes air": "mammal bird reptile amphibian insect",
        "lives in water": "fish amphibian invertebrate",
        "teeth": "mammal reptile fish amphibian",
        "scales": "reptile fish",
        "tail": "mammal bird reptile fish",
        "flies": "bird insect",
        "legs": "mammal bird amphibian insect",
        "four legs": "mammal amphibian",
        "more than four legs": "insect invertebrate",
        "larger than a cat": "mammal",
        "lays eggs in water": "fish amphibian invertebrate",
        "fur or feathers": "mammal bird",
    },
)
