// The words of the page: title, tables of names and values, notes.

function fillPanel(motion, theme, picture) {
  const { head } = motion;
  document.getElementById("title").textContent = head.title;
  document.getElementById("summary").textContent = head.summary;
  const failure = document.getElementById("failure");
  failure.hidden = head.failure === null;
  failure.textContent = head.failure === null ? "" : `The run ended early: ${head.failure}`;
  const panel = document.getElementById("panel");
  panel.replaceChildren();
  const add = (parent, name, text) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  for (const { heading, rows } of head.sections) {
    if (rows.length === 0) continue;
    add(panel, "h2", heading);
    const list = add(panel, "dl");
    for (const [name, value] of rows) {
      add(list, "dt", name);
      add(list, "dd", value);
    }
  }
  const groups = head.scene.groups.filter((group) => group.kind === "body" && group.count > 0);
  const others = [["rods", head.scene.rods], ["springs", head.scene.springs], ["triangles", head.scene.faces], ["boxes", head.scene.boxes], ["round bodies", head.scene.solids]].filter(
    ([, all]) => all.length > 0,
  );
  if (groups.length + others.length > 0) {
    add(panel, "h2", "Drawn");
    const list = add(panel, "dl");
    for (const group of groups) {
      const name = add(list, "dt");
      const swatch = add(name, "span");
      swatch.className = "swatch";
      swatch.style.background = picture.colourOf(group.first);
      name.append(group.name);
      add(list, "dd", group.count === 1 ? "1 point" : `${group.count} points`);
    }
    for (const [name, all] of others) {
      add(list, "dt", name);
      add(list, "dd", String(all.length));
    }
  }
  if (head.notes.length > 0) {
    add(panel, "h2", "Notes");
    const list = add(panel, "ul");
    head.notes.forEach((note) => add(list, "li", note));
  }
}
