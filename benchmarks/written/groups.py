"""20 Newsgroups, in lower case: each group a class, or groups merged into six topics."""

from __future__ import annotations

from .rules import KEYWORDS, MIXED, PARTIAL, Table, below, cases, found, lean, most, regex, start, words

ATHEISM, CHRISTIAN, RELIGION = "alt.atheism", "soc.religion.christian", "talk.religion.misc"
GRAPHICS, WINDOWS, XWINDOWS = "comp.graphics", "comp.os.ms-windows.misc", "comp.windows.x"
PC, MAC = "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"
FORSALE = "misc.forsale"
AUTOS, MOTORCYCLES, BASEBALL, HOCKEY = "rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"
CRYPT, ELECTRONICS, MEDICINE, SPACE = "sci.crypt", "sci.electronics", "sci.med", "sci.space"
GUNS, MIDEAST, POLITICS = "talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"

COMPUTERS = {GRAPHICS, WINDOWS, PC, MAC, XWINDOWS}
RECREATION = {AUTOS, MOTORCYCLES, BASEBALL, HOCKEY}
SCIENCE = {CRYPT, ELECTRONICS, MEDICINE, SPACE}
FAITH = {ATHEISM, CHRISTIAN, RELIGION}
POLITICAL = {GUNS, MIDEAST, POLITICS}
TOPICS = {
    "comp": COMPUTERS,
    "rec": RECREATION,
    "sci": SCIENCE,
    "religion": FAITH,
    "politics": POLITICAL,
    "forsale": {FORSALE},
}
SIX_CLASSES = {group: topic for topic, groups in TOPICS.items() for group in groups}

TABLES = {
    "ng20_keywords": Table(
        KEYWORDS,
        "groups",
        [
            words("atheist", ATHEISM, "atheist atheists atheism"),
            words("argue", ATHEISM, "fallacy logical_argument existence_of_god"),
            words("graphics", GRAPHICS, "graphics polygon raytracing ray_tracing rendering"),
            words("image", GRAPHICS, "gif jpeg tiff image_processing bitmap"),
            words("windows", WINDOWS, "windows ms_windows win_ini program_manager"),
            words("pc", PC, "motherboard ide scsi bios isa vlb eisa"),
            words("dos_irq", PC, "irq controller_card dx cmos"),
            words("mac", MAC, "mac macintosh apple quadra centris powerbook nubus"),
            words("xwin", XWINDOWS, "motif xterm x_server widget xlib openwindows xt"),
            words("sale", FORSALE, "for_sale sale asking_price best_offer obo shipping forsale"),
            words("cars", AUTOS, "car cars engine honda toyota dealer ford"),
            words("bikes", MOTORCYCLES, "bike bikes motorcycle motorcycles riding dod helmet"),
            words("baseball", BASEBALL, "baseball pitcher pitching inning batting braves mets"),
            words("hockey", HOCKEY, "hockey nhl goalie playoffs leafs penguins rangers"),
            words("crypto", CRYPT, "encryption clipper crypto nsa key_escrow pgp cryptography"),
            words("electronics", ELECTRONICS, "circuit voltage amp resistor volts electronics"),
            words("med", MEDICINE, "doctor disease patients medical symptoms treatment"),
            words("space", SPACE, "nasa space orbit shuttle moon launch lunar"),
            words("christ", CHRISTIAN, "christ church jesus bible christians scripture"),
            words("guns", GUNS, "gun guns firearms weapons nra handgun"),
            words("mideast", MIDEAST, "israel israeli armenian armenians turkish arab palestinian jews"),
            words("politics", POLITICS, "clinton government taxes congress president drugs gay"),
            words("religion", RELIGION, "koresh religion mormon objective_morality christian"),
        ],
    ),
    "ng20_mixed": Table(
        MIXED,
        "groups",
        [
            most(
                "topics",
                {
                    ATHEISM: "atheism atheist belief god religion",
                    GRAPHICS: "graphics image images file color format",
                    WINDOWS: "windows dos file driver microsoft",
                    PC: "card drive scsi bus controller pc disk",
                    MAC: "mac apple simms monitor",
                    XWINDOWS: "window server motif widget application display",
                    FORSALE: "sale offer price shipping sell condition",
                    AUTOS: "car cars engine dealer miles",
                    MOTORCYCLES: "bike ride motorcycle bmw dod",
                    BASEBALL: "game baseball players hit runs team",
                    HOCKEY: "hockey team game nhl season",
                    CRYPT: "key encryption chip clipper security",
                    ELECTRONICS: "circuit power ground wire voltage",
                    MEDICINE: "doctor disease medical patients health",
                    SPACE: "space nasa orbit launch earth",
                    CHRISTIAN: "god jesus church christian christ",
                    GUNS: "gun guns weapons fbi fire",
                    MIDEAST: "israel jews armenian turkish war",
                    POLITICS: "government president state people rights",
                    RELIGION: "christian bible god morality jesus",
                },
                least=2,
            ),
            regex("title_sale", FORSALE, r"for sale|forsale|wanted|\bsale\b", of=start(60)),
            regex("title_sale_2", FORSALE, r"\bsale\b|\bsell", of=start(80)),
            cases("short_no_re", (FORSALE, lambda text: len(text) < 500 and not text.startswith("re "))),
            cases(
                "subject_word",
                (MAC, found(r"\bmac\b|quadra|centris", start(70))),
                (WINDOWS, found(r"windows", start(70))),
                (XWINDOWS, found(r"\bx\b|motif|xterm", start(70))),
                (BASEBALL, found(r"baseball|yankees|braves|cubs|phillies", start(70))),
                (HOCKEY, found(r"hockey|nhl|leafs|stanley|playoff", start(70))),
                (SPACE, found(r"space|shuttle|nasa|moon", start(70))),
                (CRYPT, found(r"clipper|encrypt|crypto|nsa|pgp", start(70))),
                (MIDEAST, found(r"israel|armenia|turk|arab", start(70))),
                (GUNS, found(r"\bguns?\b|waco|atf|batf", start(70))),
            ),
            words("god", CHRISTIAN, "god jesus"),
            words("god_2", CHRISTIAN, "jesus christ lord"),
            words("god_3", ATHEISM, "god atheist religion"),
            words("windows", WINDOWS, "windows"),
            words("mac", MAC, "mac apple macintosh"),
            words("mac_2", MAC, "mac macs"),
            words("scsi", PC, "scsi ide drive card"),
            words("bike", MOTORCYCLES, "bike bikes"),
            words("car", AUTOS, "car cars"),
            words("team", HOCKEY, "team season playoff games players"),
            words("hit", BASEBALL, "pitcher hitter inning runs league"),
            words("key", CRYPT, "key keys encryption"),
            words("gun", GUNS, "gun guns weapon"),
            words("space", SPACE, "space orbit"),
            words("jews", MIDEAST, "israel jews turkish"),
            words("clinton", POLITICS, "clinton government tax"),
            words("disease", MEDICINE, "disease doctor medicine"),
            words("wire", ELECTRONICS, "wire circuit power"),
            words("image", GRAPHICS, "image images graphics"),
        ],
    ),
    "ng20_partial": Table(
        PARTIAL,
        "groups",
        [
            words("computers", COMPUTERS, "software computer disk drive file files program windows pc driver memory"),
            words(
                "hardware", {PC, MAC, ELECTRONICS, FORSALE}, "card monitor scsi modem ram motherboard chip port cable"
            ),
            words("sport", {BASEBALL, HOCKEY}, "team teams game games season players league coach score"),
            words("vehicles", {AUTOS, MOTORCYCLES}, "car bike engine miles tires brakes driving ride"),
            words("faith", FAITH, "god jesus christ bible faith religion church christian belief"),
            words("politics", POLITICAL, "government clinton fbi president rights law congress war"),
            words("science", SCIENCE, "research scientific nasa encryption medical circuit voltage data science"),
            words("ads", FORSALE, "sale sell offer price asking shipping obo"),
            words("gui", {WINDOWS, XWINDOWS, MAC}, "window windows desktop font fonts mouse"),
            words("graphics", {GRAPHICS, XWINDOWS}, "image graphics color pixel bitmap display"),
            words("mac", MAC, "mac apple quadra"),
            words("pc", {PC, WINDOWS}, "dos ibm isa vlb bios dx"),
            words("unix", XWINDOWS, "motif xterm x_server xlib sun unix"),
            words("baseball", BASEBALL, "baseball pitcher inning hitter braves"),
            words("hockey", HOCKEY, "hockey nhl goalie leafs"),
            words("bike", MOTORCYCLES, "bike motorcycle dod helmet"),
            words("space", SPACE, "space nasa orbit launch"),
            words("crypt", CRYPT, "encryption clipper nsa pgp"),
            words("med", MEDICINE, "disease doctor patients medical"),
            words("electro", ELECTRONICS, "circuit voltage resistor amp"),
            words("violence", {GUNS, MIDEAST, POLITICS}, "killed gun guns weapons murder attack"),
            words("peoples", MIDEAST, "israel armenian turkish arab jews"),
            words("atheism", {ATHEISM, RELIGION}, "atheist atheism morality moral"),
            words("law", {GUNS, POLITICS, CRYPT}, "law amendment constitution privacy"),
            cases("not_debate", (COMPUTERS | RECREATION | SCIENCE | {FORSALE}, below(350))),
        ],
    ),
    "ng6_keywords": Table(
        KEYWORDS,
        "groups",
        merged=SIX_CLASSES,
        rules=[
            words("pc", "comp", "windows dos software pc scsi disk file driver graphics"),
            words("unix", "comp", "unix motif server xterm ftp"),
            words("sale", "forsale", "for_sale sale asking offer obo shipping"),
            words("car", "rec", "car cars bike engine motorcycle"),
            words("team", "rec", "team game season players hockey baseball"),
            words("space", "sci", "space nasa orbit"),
            words("crypt", "sci", "encryption clipper key"),
            words("med", "sci", "disease doctor medical patients"),
            words("circuit", "sci", "circuit voltage electronics"),
            words("god", "religion", "god jesus bible church faith"),
            words("belief", "religion", "atheist atheism religion christian christians morality"),
            words("guns", "politics", "gun guns weapons fbi batf"),
            words("mideast", "politics", "israel israeli arab armenian turkish"),
            words("gov", "politics", "government clinton congress tax president"),
        ],
    ),
    "ng6_partial": Table(
        PARTIAL,
        "groups",
        merged=SIX_CLASSES,
        rules=[
            words("tech", {"comp", "sci"}, "software hardware computer data technology chip system"),
            words("sold", {"forsale", "comp", "rec"}, "price sell buy cost dealer new used"),
            words("debate", {"religion", "politics"}, "people believe argument moral rights wrong truth"),
            words("law", {"politics", "sci"}, "government law fbi privacy federal"),
            words(
                "not_debate", {"comp", "forsale", "rec", "sci"}, "thanks_in_advance please_email any_help does_anyone"
            ),
            words("pc", "comp", "windows dos disk driver mac graphics"),
            words("god", "religion", "god jesus bible church"),
            words("guns_israel", "politics", "gun guns israel armenian"),
            words("team", "rec", "team game bike car hockey"),
            words("space", "sci", "space nasa disease encryption"),
            regex("sale", "forsale", r"\bsale\b|forsale|\bsell", of=start(120)),
            lean("length", len, ({"comp", "forsale", "sci", "rec"}, {"religion", "politics"}), 600, 2500),
        ],
    ),
}
