// Typesets fences named `math` where MathJax is loaded.
window.addEventListener("load", () => {
  if (!window.MathJax?.Hub) return;
  for (const code of document.querySelectorAll("code.language-math")) {
    const formula = document.createElement("script");
    formula.type = "math/tex; mode=display";
    formula.text = code.textContent;
    code.parentElement.replaceWith(formula);
  }
  window.MathJax.Hub.Queue(["Typeset", window.MathJax.Hub]);
});
