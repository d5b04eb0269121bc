"""What others see of a link to a page or a card: a title, a sentence, and a picture drawn from what it shows.

A picture needs the absolute address of the site. Where the clone's origin does not say it and none was given,
the words remain and no picture is drawn.
"""

import re
from html import escape, unescape
from pathlib import Path

from bs4 import BeautifulSoup
from PIL import Image, ImageChops, ImageDraw, ImageFont
from publish import cards, translations

SIZE = (1200, 630)
EDGE = 50
INK, SOFT, BLUE, ORANGE = "#222222", "#5a5f66", "#0072b2", "#a34700"
GROUND, TILE = "#ffffff", "#e3e9ef"
PEN, CASE = "#f0e442", "#555555"  # of a reader's guess, as on the charts
NAME = "Virtual Threads by Experiment"
# what the font that Pillow brings along lacks
PLAIN = str.maketrans({"÷": "/", "×": "x", "–": "-", "≥": ">", "≤": "<", "→": ">", "²": "2"})
META = '<meta {kind}="{key}" content="{value}" />\n'
CARD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · {name}</title>
{meta}<link rel="stylesheet" href="../_static/card.css">
</head>
<body>
<header role="banner"><a href="../index.html">{name}</a></header>
<main>
{card}
<p><a href="../versions.html#{address}">All that changed, by Java version</a></p>
</main>
</body>
</html>
"""


# --- pictures ---

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def font(size: int, bold: bool = False) -> Font:
    """DejaVu, which the charts have, too; where it is missing, the font that Pillow brings along."""
    try:
        return ImageFont.truetype(f"DejaVuSans{'-Bold' if bold else ''}.ttf", size)
    except OSError:
        return ImageFont.load_default(size)


class Picture:
    """A white card on which text goes from the top down."""

    def __init__(self, line: str) -> None:
        self.image = Image.new("RGB", SIZE, GROUND)
        self.draw = ImageDraw.Draw(self.image)
        self.draw.rectangle((0, 0, SIZE[0], 14), fill=BLUE)
        self.y = 40
        self.text(line, 26, SOFT, lines=1)
        self.y += 8

    def width(self, words: str, style: Font) -> float:
        return self.draw.textlength(words, font=style)

    def text(self, words: str, size: int, fill: str = INK, bold: bool = False, lines: int = 3) -> None:
        """As many lines as fit; what is left out is marked."""
        style = font(size, bold)
        if not isinstance(style, ImageFont.FreeTypeFont) or "DejaVu" not in str(style.getname()):
            words = words.translate(PLAIN)
        room, left = SIZE[0] - 2 * EDGE, words.split()
        for number in range(lines):
            line = ""
            while left and self.width(f"{line} {left[0]}", style) <= room:
                line = f"{line} {left.pop(0)}".strip()
            if not line and left:
                line = left.pop(0)
            if left and number == lines - 1:
                while self.width(f"{line} …", style) > room:
                    line = line.rpartition(" ")[0]
                line += " …"
            self.draw.text((EDGE, self.y), line, font=style, fill=fill)
            self.y += round(1.28 * size)
            if not left:
                break

    def chart(self, file: Path) -> None:
        """A chart without its margins, in the room that is left below the text."""
        with Image.open(file) as opened:
            chart = opened.convert("RGB")
        chart = chart.crop(ImageChops.difference(chart, Image.new("RGB", chart.size, GROUND)).getbbox())
        room = (SIZE[0] - 2 * EDGE, SIZE[1] - self.y - 24)
        scale = min(room[0] / chart.width, room[1] / chart.height)
        chart = chart.resize(
            (round(scale * chart.width), round(scale * chart.height)), Image.Resampling.LANCZOS
        )
        self.image.paste(chart, ((SIZE[0] - chart.width) // 2, self.y + (room[1] - chart.height) // 2))

    def axes(self) -> None:
        """Empty axes, on which somebody has begun to draw, in the room that is left."""
        left, top, right, bottom = 120, self.y + 20, SIZE[0] - 120, SIZE[1] - 50
        for part in range(6):
            x, y = left + part * (right - left) // 5, top + part * (bottom - top) // 5
            self.draw.line((x, top, x, bottom), fill=TILE, width=3)
            self.draw.line((left, y, right, y), fill=TILE, width=3)
        middle = (top + bottom) // 2
        stroke = [(left, bottom - 30), (left + 200, middle + 30), (left + 440, middle - 10)]
        self.draw.line(stroke, fill=CASE, width=30, joint="curve")
        self.draw.line(stroke, fill=PEN, width=24, joint="curve")
        self.draw.text((left + 500, middle - 130), "?", font=font(170, True), fill=BLUE)

    def tiles(self, measured: list[cards.Tile]) -> None:
        """A tile for each Java version, in the room that is left."""
        wide, gap = (SIZE[0] - 2 * EDGE + 20) // len(measured), 20
        top, bottom = max(self.y + 16, SIZE[1] - 290), SIZE[1] - 40
        value = min((self.largest(tile.value, wide - gap - 40) for tile in measured), default=64)
        for number, tile in enumerate(measured):
            x = EDGE + number * wide
            colour = SOFT if tile.held is None else BLUE if tile.held else ORANGE
            self.draw.rectangle((x, top, x + wide - gap, bottom), fill=TILE)
            self.draw.rectangle((x, top, x + wide - gap, top + 8), fill=colour)
            self.draw.text((x + 20, top + 24), f"Java {tile.java}", font=font(30), fill=INK)
            self.draw.text((x + 20, top + 66), tile.value, font=font(value, True), fill=colour)
            for line, words in enumerate(tile.below):
                self.draw.text((x + 20, top + 144 + 30 * line), words, font=font(24), fill=SOFT)

    def largest(self, words: str, room: int, most: int = 64) -> int:
        """The size at which the words fit into one line, or the smallest that can be read."""
        sizes = range(most, 24, -2)
        return next((size for size in sizes if self.width(words, font(size, True)) <= room), 24)

    def save(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.image.quantize(64, Image.Quantize.FASTOCTREE).save(file, optimize=True)


def draw_page(file: Path, title: str, words: str, chart: Path | None, asks: bool = False) -> None:
    picture = Picture(NAME)
    if asks:
        picture.text(title, 52, bold=True, lines=2)
        picture.text(words, 30, SOFT, lines=3)
        picture.axes()
    elif chart:
        picture.text(title, picture.largest(title, SIZE[0] - 2 * EDGE, 44), bold=True, lines=1)
        picture.chart(chart)
    else:
        picture.y += 60
        picture.text(title, 60, bold=True, lines=3)
        picture.y += 20
        picture.text(words, 34, SOFT, lines=5)
    picture.save(file)


def draw_card(file: Path, card: cards.Card) -> None:
    picture = Picture(f"{NAME}: what changed, by Java version")
    words = card.plain()
    picture.text(words, 48 if len(words) < 90 else 40, bold=True, lines=4)
    if card.lead:
        picture.text(card.lead, 30, SOFT, lines=2)
    picture.tiles(card.tiles)
    picture.save(file)


# --- pages ---


def meta(title: str, words: str, address: str = "", picture: str = "") -> str:
    """The tags of a page: with the addresses of the page and its picture, if they are known."""
    tags = {"og:type": "article", "og:site_name": NAME, "og:title": title, "og:description": words}
    if address:
        tags |= {
            "og:url": address,
            "og:image": picture,
            "og:image:width": str(SIZE[0]),
            "og:image:height": str(SIZE[1]),
        }
        tags |= {"og:image:alt": f"{title}. {words}", "twitter:card": "summary_large_image"}
    lines = {"description": words, **tags}
    return "".join(
        META.format(kind="property" if key.startswith("og:") else "name", key=key, value=escape(value))
        for key, value in lines.items()
    )


def describe(pages: Path, site: str) -> None:
    """Completes the tags of each page, and draws its picture if the address of the site is known."""
    described = re.compile(
        r'<meta name="description" content="([^"]*)" />\n<meta property="og:title" content="([^"]*)" />\n'
    )
    for file in sorted(pages.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        found = described.search(text)
        if not found:
            continue
        words, title = unescape(found[1]), unescape(found[2])
        place = file.relative_to(pages).as_posix()
        # a translation shows the picture of the original: its title is not in the font
        original = re.sub(
            rf"^notebooks/(?:{'|'.join(translations.LANGUAGES)})/(index)?", r"notebooks/\1", place
        )
        original = original.replace("notebooks/index", "index")
        name = original.removesuffix(".html").replace("/", "-")
        if site and original == place:
            asks = 'class="draw"' in text
            draw_page(pages / f"_static/shared/{name}.png", title, words, chart_of(file, text), asks)
        tags = meta(title, words, *((f"{site}{place}", f"{site}_static/shared/{name}.png") if site else ()))
        file.write_text(text.replace(found[0], tags, 1), encoding="utf-8")


def chart_of(file: Path, text: str) -> Path | None:
    """The first chart that a page shows."""
    found = re.search(r'<img[^>]* src="([^"]*_static/(?:pictures|stills)/[^"]+(?<!\.dark)\.png)"', text)
    return (file.parent / found[1]).resolve() if found else None


def write_cards(pages: Path, site: str) -> None:
    """A page for each card, for a link to a place inside a page has no picture of its own."""
    all_cards = BeautifulSoup((pages / "versions.html").read_text(encoding="utf-8"), "html.parser")
    for card in cards.all_cards():
        own = f'[id="{card.address}"]'
        section = all_cards.select(f"section{own}, section:has({own})")[-1]
        for link in section.select("a"):
            if {"headerlink", "alone"} & {*link.get_attribute_list("class")}:
                link.decompose()
            elif not re.match(r"[a-z]+:|#", address := str(link["href"])):
                link["href"] = f"../{address}"
        for script in section.find_all("script"):
            script.decompose()
        section.select("h3")[0].name = "h1"
        place, picture = f"versions/{card.address}.html", f"_static/shared/{card.address}.png"
        if site:
            draw_card(pages / picture, card)
        title = card.plain()
        tags = meta(title, card.words(), *((f"{site}{place}", f"{site}{picture}") if site else ()))
        page = CARD.format(title=escape(title), name=NAME, meta=tags, card=section, address=card.address)
        (pages / place).parent.mkdir(exist_ok=True)
        (pages / place).write_text(page, encoding="utf-8")
