// Tables sort by a click or a key on the name of a column. Nothing else needs a script.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    if (head.querySelector(".hidden")) return; // bars: their numbers are beside them
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const cell = row.cells[place];
        const text = cell.dataset.sort ?? cell.textContent.trim().replace(/[,%–]/g, "");
        const number = text === "" ? NaN : Number(text);
        return Number.isNaN(number) ? cell.textContent.trim() : number;
      };
      const compare = (a, b) =>
        typeof a === typeof b
          ? typeof a === "number" ? a - b : a.localeCompare(b)
          : typeof a === "number" ? -1 : 1;
      const rows = [...body.rows].sort((a, b) => compare(key(a), key(b)) * (down ? -1 : 1));
      body.append(...rows);
    });
  });
}
