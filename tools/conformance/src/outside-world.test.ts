import { request } from "node:http";
import { expect, test } from "vitest";
import { startOutsideWorld } from "./outside-world.ts";

test("any page is there", async () => {
  const world = await startOutsideWorld();
  try {
    const { HTTP_PROXY = "" } = world.env;
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(HTTP_PROXY);
      request({ host: hostname, port, path: "http://example.com/", agent: false }, (response) =>
        resolve(response.resume().statusCode),
      )
        .on("error", reject)
        .end();
    });
    expect(status).toBe(200);
  } finally {
    world.close();
  }
});
