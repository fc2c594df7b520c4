"""Questions on ``docs/small_appliance_kb``, each with the sentence that answers it.

Asked as users ask: in their own words, between near-duplicates (two kettles, 12 and 24 months), for
codes, units and table rows. Every document of the folder answers at least one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """``sentence`` stands once in ``source`` and must be among the found ones.

    ``source`` is relative to ``docs``. ``sentence`` is as the splitter cuts it, without outer
    white space: an item has its marker, a table row its pipes.
    """

    question: str
    source: str
    sentence: str


FIRST_QUESTION = SampleQuestion(
    "电热水壶第一次使用前要做什么？",
    "small_appliance_kb/kettle-k1.zh.md",
    "第一次使用前，请先煮两壶清水并全部倒掉，洗去生产残留。",
)
"""The question on the first line of README."""

CHINESE = (
    SampleQuestion(
        "水壶干烧断电了，要冷却几分钟才能加水？",
        "small_appliance_kb/kettle-k1.zh.md",
        "干烧断电后，先让水壶冷却 10 分钟，再加冷水。",
    ),
    SampleQuestion(
        "扫地机器人报 E07 是什么意思？",
        "small_appliance_kb/error-codes.zh.md",
        "| E07 | V8 扫地机器人 | 主刷卡住 | 清除主刷上的毛发 |",
    ),
    SampleQuestion(
        "用电饭煲煮粥要多长时间？",
        "small_appliance_kb/rice-cooker-r3.zh.md",
        "| 煮粥 | 90 分钟 | 米和水约 1 比 8 |",
    ),
    SampleQuestion(
        "电饭煲里的饭最多能保温几个小时？",
        "small_appliance_kb/rice-cooker-r3.zh.md",
        "保温最长 12 小时，之后自动关机。",
    ),
    SampleQuestion(
        "扫地机器人能连家里的 5G WiFi 吗？",
        "small_appliance_kb/robot-vacuum-v8.zh.md",
        "V8 只支持 2.4 GHz 无线网络，不支持 5 GHz。",
    ),
    SampleQuestion(
        "加湿器开高档，一箱水能用多久？",
        "small_appliance_kb/humidifier-h2.zh.md",
        "| 高 | 每小时 300 毫升 | 13 小时 |",
    ),
    SampleQuestion(
        "哪个系列的保修只有 12 个月？",
        "small_appliance_kb/warranty.zh.md",
        "个人护理系列和空气系列保修 12 个月。",
    ),
    SampleQuestion(
        "厨房电器的保修期有多长？",
        "small_appliance_kb/warranty.zh.md",
        "厨房系列和地面清洁系列保修 24 个月。",
    ),
    SampleQuestion(
        "收到货以后几天之内可以无理由退货？",
        "small_appliance_kb/returns.zh.txt",
        "自签收之日起 14 天内可以无理由退货。",
    ),
    SampleQuestion(
        "退货以后，退款几天能到账？",
        "small_appliance_kb/returns.zh.txt",
        "仓库收到商品后 5 个工作日内退款。",
    ),
)

ENGLISH = (
    SampleQuestion(
        "My K1 is new. How much water do I boil and pour away before I make tea?",
        "small_appliance_kb/kettle-k1.md",
        "Before the first use of K1, boil two full kettles of water and pour them away.",
    ),
    SampleQuestion(
        "What must I do with a new K2 kettle before I use it?",
        "small_appliance_kb/kettle-k2.md",
        "Before the first use of K2, boil three full kettles of water and pour them away.",
    ),
    SampleQuestion(
        "How long do chicken wings take in the air fryer?",
        "small_appliance_kb/air-fryer-a5.md",
        "| Chicken wings | 500 g | 190 °C | 22 minutes |",
    ),
    SampleQuestion(
        "My robot says E07. What should I do?",
        "small_appliance_kb/error-codes.md",
        "| E07 | Robot vacuum V8 | Main brush jammed | Remove hair from the main brush |",
    ),
    SampleQuestion(
        "Which products have a warranty of only 12 months?",
        "small_appliance_kb/warranty.md",
        "The warranty for personal care and air care products is 12 months.",
    ),
    SampleQuestion(
        "How long is the warranty on kitchen appliances?",
        "small_appliance_kb/warranty.md",
        "The warranty for kitchen and floor care products is 24 months.",
    ),
    SampleQuestion(
        "When should I change the head of my toothbrush?",
        "small_appliance_kb/toothbrush-t1.md",
        "- Replace the brush head every 3 months.",
    ),
    SampleQuestion(
        "How much ground coffee do I need for 6 cups?",
        "small_appliance_kb/coffee-maker-c4.md",
        "| 6 | 750 ml | 42 g |",
    ),
    SampleQuestion(
        "What is the price of a new inner pot for the rice cooker?",
        "small_appliance_kb/spare-parts.md",
        "| Inner pot | RP-301 | ¥129 |",
    ),
    SampleQuestion(
        "Can I charge the battery at 0 °C?",
        "small_appliance_kb/safety.txt",
        "Charge batteries between 5 °C and 35 °C.",
    ),
)

QUESTIONS = (FIRST_QUESTION, *CHINESE, *ENGLISH)

SUGGESTIONS = {
    "en": (
        "What must I do with a new K2 kettle before I use it?",
        "My robot says E07. What should I do?",
        "Which products have a warranty of only 12 months?",
    ),
    "zh": (
        "电热水壶第一次使用前要做什么？",
        "加湿器开高档，一箱水能用多久？",
        "收到货以后几天之内可以无理由退货？",
    ),
}
"""Questions for the first page, by language."""
