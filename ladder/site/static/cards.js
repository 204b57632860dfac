// Cards, drawn by us: a big index, four colours, or two where the reader wants that.
// @ts-check

export const SUITS = "CDHS";
const RANKS = "23456789TJQKA";
const SVG = "http://www.w3.org/2000/svg";

/** The suits' signs in a square of 20 units. @type {Record<string, string>} */
const SIGNS = {
  S: "M10 1C8 5 2 8 2 12.3 2 15.4 6.6 16.6 9 13.9 8.8 16 8 17.800 6.500 19L13.500 19C12 17.800 11.200 16 11 13.900 13.400 16.600 18 15.400 18 12.300 18 8 12 5 10 1Z",
  H: "M10 18.500C8 15 1.800 11.800 1.800 6.900 1.800 2.300 7.800 0.800 10 5.200 12.200 0.800 18.200 2.300 18.200 6.900 18.200 11.800 12 15 10 18.500Z",
  D: "M10 1C11.800 4.600 14.200 7.600 17 10 14.200 12.400 11.800 15.400 10 19 8.200 15.400 5.800 12.400 3 10 5.800 7.600 8.200 4.600 10 1Z",
  C: "M10 1A4 4 0 0 1 13.200 7.400 4.100 4.100 0 1 1 11.100 13.600C11.200 15.900 12 17.800 13.500 19L6.500 19C8 17.800 8.800 15.900 8.900 13.600A4.100 4.100 0 1 1 6.800 7.400 4 4 0 0 1 10 1Z",
};
/** What the face of a court card has besides its letter. @type {Record<string, string>} */
const COURT = {
  J: "M14 0L26 0 26 3 14 3ZM16 -4L24 -4 22 -1 18 -1Z",
  Q: "M11 3L10 -6 15 -1 20 -8 25 -1 30 -6 29 3Z",
  K: "M10 3L10 -5 14 -2 16 -8 20 -3 24 -8 26 -2 30 -5 30 3Z",
};

/** @param {string} name */
export function rankOf(name) {
  return name[0] === "T" ? "10" : name[0];
}

/** The place of a card in the order in which people hold them: spades first, aces first. @param {string} name */
export function order(name) {
  return -(SUITS.indexOf(name[1]) * 13 + RANKS.indexOf(name[0]));
}

/** The place of a card's rank. @param {string} name */
export function height(name) {
  return RANKS.indexOf(name[0]);
}

/** @param {string} names */
export function cardsOf(names) {
  return names ? names.split(" ") : [];
}

/** @param {string} name @param {Record<string, string | number>} attributes */
export function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  return element;
}

/** The sign of a suit. @param {string} suit */
export function sign(suit) {
  const element = svg("svg", { viewBox: "0 0 20 20", class: `pip suit-${suit}`, "aria-hidden": "true" });
  element.append(svg("path", { d: SIGNS[suit] }));
  return element;
}

/**
 * A card face up.
 * @param {string} name As in a record: `QS`.
 * @param {string} label What a screen reader says.
 */
export function cardElement(name, label) {
  const card = document.createElement("span");
  card.className = `card suit-${name[1]}`;
  card.dataset.card = name;
  card.setAttribute("role", "img");
  card.setAttribute("aria-label", label);
  const face = svg("svg", { viewBox: "0 0 60 84", "aria-hidden": "true" });
  const rank = svg("text", { x: 4, y: 22, class: rankOf(name).length > 1 ? "rank ten" : "rank" });
  rank.textContent = rankOf(name);
  const side = path(SIGNS[name[1]], "translate(40 5) scale(.8)");
  side.setAttribute("class", "side");
  face.append(rank, path(SIGNS[name[1]], "translate(4 28) scale(.8)"), side);
  if (COURT[name[0]]) {
    face.append(svg("rect", { x: 25, y: 33, width: 30, height: 46, rx: 4, class: "court" }));
    face.append(path(COURT[name[0]], "translate(20 46)"), path(SIGNS[name[1]], "translate(29 52) scale(1.1)"));
  } else {
    face.append(path(SIGNS[name[1]], "translate(22 43) scale(1.7)"));
  }
  card.append(face);
  return card;
}

/** @param {string} d @param {string} transform */
function path(d, transform) {
  return svg("path", { d, transform });
}

/** A card face down. */
export function backElement() {
  const card = document.createElement("span");
  card.className = "card back";
  const face = svg("svg", { viewBox: "0 0 60 84", "aria-hidden": "true" });
  face.append(svg("rect", { x: 4, y: 4, width: 52, height: 76, rx: 4, class: "weave" }), path(SIGNS.S, "translate(18 30) scale(1.2)"));
  card.append(face);
  return card;
}
