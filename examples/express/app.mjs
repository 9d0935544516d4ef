import express from "express";
import { protectBody } from "./protect-body.mjs";

const app = express();

app.use(express.json(), express.urlencoded({ extended: true }), express.text(), protectBody());

// from here on, logs and handlers see protected text
app.use((request, _response, next) => {
  console.log(request.method, request.path, JSON.stringify(request.body));
  next();
});

app.post("/tickets", (request, response) => {
  response.status(201).json({ received: request.body });
});

app.get("/contact", protectBody({ responses: true, mode: "mask" }), (_request, response) => {
  response.json({ office: "room B-12", mail: "jan.novak@example.cz" });
});

const server = app.listen(process.env.PORT ?? 3000, () => console.log(`http://localhost:${server.address().port}`));
