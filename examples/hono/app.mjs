import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { protectBody } from "./protect-body.mjs";

const app = new Hono();

app.use(protectBody());

// from here on, logs and handlers see protected text
app.use(async (context, next) => {
  console.log(context.req.method, context.req.path, await context.req.text());
  await next();
});

app.post("/tickets", async (context) => context.json({ received: await context.req.json() }, 201));
app.post("/notes", async (context) => context.text(await context.req.text(), 201));

app.use("/contact", protectBody({ responses: true, mode: "mask" }));
app.get("/contact", (context) => context.json({ office: "room B-12", mail: "jan.novak@example.cz" }));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => console.log(`http://localhost:${port}`));
