"""Tweets, sentences of reviews (Amazon), and sentences of editorials (New York Times) that people rated for VADER.

Lexicons vote on nearly all rows of the mixed tables.
"""

from __future__ import annotations

from .lexicons import afinn, empath, nrc, pattern, vader
from .rules import KEYWORDS, MIXED, Table, lean, regex, words

NEGATIVE, POSITIVE = "negative", "positive"
LEXICONS = [
    lean("vader", vader, (NEGATIVE, POSITIVE), -0.05, 0.05),
    lean("afinn", afinn, (NEGATIVE, POSITIVE), 0, 0),
    lean("nrc", nrc, (NEGATIVE, POSITIVE), 0, 0),
    lean("pattern", pattern, (NEGATIVE, POSITIVE), -0.05, 0.05),
    lean("empath", empath, (NEGATIVE, POSITIVE), 0, 0),
]

TABLES = {
    "v_tweets_mixed": Table(
        MIXED,
        "tweets",
        [
            *LEXICONS,
            regex("smile", POSITIVE, r"[:;]-?[\)D]|<3|\^_\^"),
            regex("frown", NEGATIVE, r":'?-?[\(/]|D:"),
            words("thanks", POSITIVE, "thanks thank_you congrats yay happy_birthday welcome"),
            words("love", POSITIVE, "love loved loving awesome amazing"),
            words("haha", POSITIVE, "haha hahaha lol lmao"),
            words("swear", NEGATIVE, "fuck fucking shit damn hell crap wtf"),
            words("hate", NEGATIVE, "hate sucks worst annoying ugh sad sick tired"),
            words("cant", NEGATIVE, "can't don't not never no won't"),
            regex("exclaim", POSITIVE, r"!"),
            regex("question", NEGATIVE, r"\?"),
            regex("url", POSITIVE, r"http"),
            words("great", POSITIVE, "great good best nice"),
            words("great_2", POSITIVE, "great good fun excited"),
        ],
    ),
    "v_tweets_keywords": Table(
        KEYWORDS,
        "tweets",
        [
            regex("smile", POSITIVE, r"[:;=]-?[\)D]|<3"),
            regex("frown", NEGATIVE, r"[:=]'?-?\("),
            words("thanks", POSITIVE, "thanks thank_you thx congrats congratulations"),
            words("love", POSITIVE, "love loved lovely"),
            words("good", POSITIVE, "good great nice best"),
            words("wow", POSITIVE, "awesome amazing fantastic wonderful excellent"),
            words("fun", POSITIVE, "fun happy excited enjoy lol haha"),
            regex("yay", POSITIVE, r"\bya+y+\b|woo+\b|!!"),
            words("bad", NEGATIVE, "bad worst terrible awful horrible"),
            words("hate", NEGATIVE, "hate hated angry mad stupid"),
            words("sad", NEGATIVE, "sad sorry miss lonely cry crying tears"),
            words("ill", NEGATIVE, "sick headache tired hurts pain"),
            words("fail", NEGATIVE, "fail failed broken wrong problem sucks"),
            words("ugh", NEGATIVE, "ugh wtf damn shit"),
        ],
    ),
    "v_amazon_mixed": Table(
        MIXED,
        "amazon",
        [
            *LEXICONS,
            words("problems", NEGATIVE, "problem problems broke broken stopped died failed return returned refund"),
            words("problems_2", NEGATIVE, "problem problems return returned defective"),
            words("easy", POSITIVE, "easy easily simple intuitive"),
            words("great", POSITIVE, "great excellent perfect amazing love"),
            words("great_2", POSITIVE, "great love best"),
            words("not", NEGATIVE, "not don't doesn't won't can't didn't no never nothing"),
            words("but", NEGATIVE, "but however though"),
            words("waste", NEGATIVE, "waste junk worst poor disappointed horrible"),
            words("features", POSITIVE, "quality sound picture battery size"),
            regex("digits", POSITIVE, r"\d"),
            words("service", NEGATIVE, "customer_service support warranty called phone"),
            lean("length", len, (POSITIVE, NEGATIVE), 40, 140),
        ],
    ),
    "v_amazon_keywords": Table(
        KEYWORDS,
        "amazon",
        [
            words("great", POSITIVE, "great excellent fantastic awesome amazing"),
            words("love", POSITIVE, "love happy pleased satisfied"),
            words("easy", POSITIVE, "easy simple intuitive convenient"),
            words("recommend", POSITIVE, "recommend recommended best perfect"),
            words("good", POSITIVE, "good nice well works_great"),
            words("small", POSITIVE, "small light sleek compact"),
            words("broken", NEGATIVE, "broke broken stopped died dead freezes froze defective"),
            words("return", NEGATIVE, "return returned refund exchange"),
            words("problem", NEGATIVE, "problem problems issue issues trouble"),
            words("bad", NEGATIVE, "bad poor terrible horrible worst cheap"),
            words("hate", NEGATIVE, "hate annoying frustrating disappointed disappointing"),
            words("not", NEGATIVE, "doesn't_work not_work does_not won't couldn't unfortunately"),
        ],
    ),
    "v_nyt_mixed": Table(
        MIXED,
        "nyt",
        [
            *LEXICONS,
            words("death", NEGATIVE, "death died killed murder war dead kill"),
            words("crime", NEGATIVE, "crime prison police jail guilty victims abuse drug"),
            words("crime_2", NEGATIVE, "crime criminal prison violence"),
            words("money_trouble", NEGATIVE, "debt deficit cut cuts crisis recession poor lost"),
            words("criticize", NEGATIVE, "wrong fail failed failure bad worse worst unfortunately"),
            words("not", NEGATIVE, "not no never cannot without"),
            words("good", POSITIVE, "good great best better"),
            words("hope", POSITIVE, "hope help success freedom peace support"),
            words("art", POSITIVE, "art music beautiful garden love"),
            words("improve", POSITIVE, "improve improved progress win won achievement"),
            regex("quote", POSITIVE, r"''"),
            regex("question", NEGATIVE, r"\?"),
            lean("length", len, (POSITIVE, NEGATIVE), 60, 160),
        ],
    ),
}
