"""AG-News, whose texts are a title and a beginning, and the eight topics of Reuters (R8) in lower case."""

from __future__ import annotations

from .rules import KEYWORDS, MIXED, PARTIAL, Table, above, below, cases, found, most, regex, words

WORLD, SPORTS, BUSINESS, SCITECH = "World", "Sports", "Business", "Sci/Tech"
TECHNICAL_PRESS = r"NewsFactor|PC World|TechWeb|washingtonpost.com - |MacCentral|SPACE\.com"
TOPICS = {
    WORLD: "iraq president killed minister un government election troops police palestinian israel nuclear "
    "attack leader",
    SPORTS: "game team season win coach cup league player points victory champion sox final",
    BUSINESS: "company shares oil stocks profit billion market prices economy sales bank dollar investors",
    SCITECH: "microsoft internet software computer google technology web space phone apple online nasa scientists",
}


def title(text: str) -> str:
    return text.split("||")[0]


def compared(text: str) -> int:
    """How many figures are beside those of a year ago."""
    return text.split().count("vs")


TABLES = {
    "agnews_keywords": Table(
        KEYWORDS,
        "agnews",
        [
            words("war", WORLD, "iraq iraqi baghdad fallujah afghanistan gaza palestinian israeli sudan darfur"),
            words(
                "diplomacy",
                WORLD,
                "president minister un nuclear election elections prime_minister parliament ambassador",
            ),
            words("violence", WORLD, "killed bomb bombing militants insurgents hostage troops soldiers blast rebels"),
            words(
                "ball_games", SPORTS, "nfl nba mlb quarterback touchdown yankees red_sox inning innings homer lakers"
            ),
            words("matches", SPORTS, "cup championship league season coach striker goal goals tournament"),
            words("olympics", SPORTS, "olympic olympics athens_2004 medal gold_medal tennis golf grand_prix"),
            words("oil", BUSINESS, "oil_prices crude barrel opec"),
            words("stocks", BUSINESS, "stocks shares wall_street dow nasdaq investors"),
            words("earnings", BUSINESS, "profit earnings quarter sales revenue forecast"),
            words("deals", BUSINESS, "merger takeover acquisition bid bankruptcy ceo"),
            words("software", SCITECH, "microsoft software windows linux browser security_flaw virus"),
            words("net", SCITECH, "internet google online web yahoo e-mail spam"),
            words("space", SCITECH, "nasa space mars spacecraft scientists researchers study"),
            words("gadgets", SCITECH, "ipod apple phone mobile wireless chip intel"),
        ],
    ),
    "agnews_mixed": Table(
        MIXED,
        "agnews",
        [
            most(
                "topic_count",
                TOPICS,
            ),
            most(
                "title_count",
                {
                    WORLD: "iraq killed bush talks vote blast",
                    SPORTS: "win wins beat game cup open vs",
                    BUSINESS: "stocks oil profit sales shares prices",
                    SCITECH: "microsoft google apple ibm web nasa",
                },
            ),
            cases(
                "source",
                (WORLD, found(r"AFP - |\(AFP\)", ignore_case=False)),
                (BUSINESS, found(r"Reuters\) -.*(?:dollar|stocks|oil)|\(Quote|newratings", ignore_case=False)),
                (SCITECH, found(TECHNICAL_PRESS, ignore_case=False)),
            ),
            words("iraq", WORLD, "iraq iraqi baghdad"),
            words("iraq_2", WORLD, "iraq baghdad fallujah najaf insurgents"),
            words("country", WORLD, "china russia iran north_korea france india pakistan"),
            regex("score", SPORTS, r"\b\d{1,3}-\d{1,3}\b"),
            words("sport_words", SPORTS, "season game team coach league"),
            words("sport_words_2", SPORTS, "game team season players match"),
            regex("money", BUSINESS, r"\$\s?\d|#36;\s?\d|\bbillion\b|\bmillion\b"),
            words("firm", BUSINESS, "inc corp co ltd plc corp."),
            words("tech", SCITECH, "software computer internet technology web"),
            words("tech_2", SCITECH, "software internet online microsoft web"),
            words("new", SCITECH, "new"),
            regex("headline_case", SCITECH, r"\(", of=title),
        ],
    ),
    "agnews_partial": Table(
        PARTIAL,
        "agnews",
        [
            words("money", {BUSINESS, SCITECH}, "company inc corp million billion firm executives"),
            words("people_die", WORLD, "killed dead died attack bomb war troops"),
            words("government", {WORLD, BUSINESS}, "government minister president officials country"),
            words("contest", {SPORTS, WORLD}, "win won victory defeat lead race final"),
            words("tech_firm", {SCITECH, BUSINESS}, "microsoft google ibm intel oracle apple yahoo dell"),
            words("science", SCITECH, "scientists nasa space researchers study species"),
            words("it", SCITECH, "software internet web linux computer browser virus"),
            words("market", BUSINESS, "stocks shares oil profit earnings economy prices dollar"),
            words("sport", SPORTS, "game season team coach cup league olympic championship match player"),
            words("nations", {WORLD, SPORTS}, "france germany china england russia australia spain india"),
            words("not_sport", {WORLD, BUSINESS, SCITECH}, "said_on officials spokesman report reports according"),
            regex("scoreline", SPORTS, r"\b\d{1,2}-\d{1,2}\b"),
            regex("reuters", {WORLD, BUSINESS, SCITECH}, r"Reuters|\(AP\)|AFP"),
            words("days", {WORLD, SPORTS}, "saturday sunday"),
            words("hot_spots", WORLD, "iraq israel palestinian sudan afghanistan iran korea"),
        ],
    ),
    "r8_keywords": Table(
        KEYWORDS,
        "r8",
        [
            regex("earn_shr", "earn", r"\bshr\b|\bnet (?:profit|loss)\b|\bqtr net\b"),
            words("earn_div", "earn", "dividend div payout qtly_div stock_split"),
            words("earn_results", "earn", "quarter earnings results profits year_net"),
            words("acq_buy", "acq", "acquire acquisition acquires acquired takeover merger merge"),
            words("acq_stake", "acq", "stake tender_offer bid buyout unit shareholders_approved definitive_agreement"),
            words("acq_sell", "acq", "sells sell completes_sale divest*"),
            words("crude_oil", "crude", "crude opec barrel barrels bpd petroleum"),
            words("crude_gas", "crude", "oil_prices natural_gas refinery drilling"),
            words("grain", "grain", "wheat corn grain grains maize soybean barley tonnes_of_wheat"),
            words("rates", "interest", "prime_rate discount_rate interest_rates interest_rate base_rate lending_rate"),
            words("fx", "money-fx", "currency currencies yen mark exchange_rates exchange_rate dollar"),
            words(
                "bank",
                "money-fx",
                "bank_of_england money_market repurchase_agreement liquidity intervention stg_assistance",
            ),
            words("ship", "ship", "ship ships vessel vessels port tanker shipping seamen cargo"),
            words("trade", "trade", "trade_deficit trade_surplus tariffs exports imports protectionist gatt trade"),
        ],
    ),
    "r8_mixed": Table(
        MIXED,
        "r8",
        [
            most(
                "word_count",
                {
                    "earn": "net shr cts vs revs qtr profit dividend loss",
                    "acq": "acquire acquisition merger stake offer bid shares company unit",
                    "crude": "oil crude opec barrels bpd",
                    "grain": "wheat grain corn tonnes crop",
                    "interest": "rate rates prime discount pct",
                    "money-fx": "dollar currency yen bank market stg",
                    "ship": "ship vessel port shipping tanker",
                    "trade": "trade exports imports deficit surplus tariffs",
                },
            ),
            cases("very_short", ("earn", below(250))),
            cases("vs_count", ("earn", above(1, compared))),
            regex("vs_any", "earn", " vs ", ignore_case=False),
            words("cts", "earn", "cts"),
            words("inc_said", "acq", "inc_said corp_said"),
            words("acq_1", "acq", "acquisition acquire"),
            words("acq_2", "acq", "acquire acquired acquisition takeover"),
            words("oil", "crude", "oil"),
            words("tonnes", "grain", "tonnes"),
            words("agri", "grain", "agriculture usda farmers crop"),
            words("rate", "interest", "rate rates"),
            words("fed", "interest", "fed federal_reserve"),
            words("dollar", "money-fx", "dollar yen"),
            words("central_bank", "money-fx", "central_bank"),
            words("gulf", "ship", "gulf iran iranian"),
            words("vessel", "ship", "vessel vessels ship ships"),
            words("japan", "trade", "japan japanese"),
            words("trade", "trade", "trade"),
        ],
    ),
    "r8_partial": Table(
        PARTIAL,
        "r8",
        [
            words("company_news", {"earn", "acq"}, "inc corp co ltd plc company"),
            words("economy", {"interest", "money-fx", "trade"}, "bank economy economic minister treasury finance"),
            words("commodity", {"crude", "grain", "ship"}, "tonnes barrels export cargo gulf crop"),
            cases(
                "no_figures",
                ("earn", above(1, compared)),
                (
                    {"acq", "crude", "grain", "interest", "money-fx", "ship", "trade"},
                    lambda text: " vs " not in text and len(text) > 600,
                ),
            ),
            words("rates_money", {"interest", "money-fx"}, "rates money_market liquidity monetary fed deposits"),
            words("currency", "money-fx", "currencies exchange_rate yen dollar intervention"),
            words("prime", "interest", "prime_rate discount_rate interest_rate interest_rates"),
            words("oil", {"crude", "ship"}, "oil tanker tankers"),
            words("opec", "crude", "opec crude bpd"),
            words("food", {"grain", "trade"}, "agriculture agricultural farm subsidies"),
            words("wheat", "grain", "wheat corn maize grain"),
            words("buy", "acq", "acquire acquisition merger takeover stake"),
            words("profit", "earn", "shr qtr dividend net_profit net_loss"),
            words("trade", {"trade", "money-fx"}, "deficit surplus imports exports"),
            words("tariff", "trade", "tariffs tariff protectionism trade_bill gatt"),
            words("port", "ship", "port ports ship vessels strike seamen"),
            words(
                "countries",
                {"trade", "money-fx", "crude", "grain", "ship", "interest"},
                "japan germany france britain soviet brazil saudi",
            ),
        ],
    ),
}
