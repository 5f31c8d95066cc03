/*
  Draws cards as games/_card.html does. The page brings the letters and names of its language: {% card_pack %}.

    drawCard("TH", { size: "large", state: "lit", words: "takes the trick" })  -> <span class="card h large lit">
    drawCard(null, { size: "large" })                                          -> a card face down
*/
"use strict";

(function () {
  const source = document.getElementById("card-pack");
  const pack = source ? JSON.parse(source.textContent) : { faces: {}, back: "" };

  function span(name, text) {
    const made = document.createElement("span");
    made.className = name;
    if (text) made.textContent = text;
    return made;
  }

  globalThis.drawCard = function (text, { size = "", state = "", words = "" } = {}) {
    const face = text ? pack.faces[text] : null;
    const card = span(["card", face ? face.suit : "back", size, state].filter(Boolean).join(" "));
    if (face) {
      const seen = document.createElement("span");
      seen.setAttribute("aria-hidden", "true");
      const sign = document.createElement("b");
      sign.textContent = face.sign;
      seen.append(face.rank, sign);
      card.append(seen);
    }
    card.append(span("sr", face ? (words ? `${face.name}, ${words}` : face.name) : pack.back));
    return card;
  };
})();
