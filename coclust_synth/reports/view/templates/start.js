// Starts the view of a page; what can be read without it goes once it is there.
const PAGE = document.querySelector(".coclust-view");
const STILL = PAGE.querySelector(".still");

unpack(bytesOf(document.getElementById("grid").textContent))
  .then((content) => {
    const app = PAGE.querySelector(".app");
    app.hidden = false;
    STILL.hidden = true;
    PAGE.view = new View(app, content);
    PAGE.dataset.ready = "";
  })
  .catch((error) => {
    PAGE.querySelector(".app").hidden = true;
    STILL.hidden = false;
    console.error(error);
  });
