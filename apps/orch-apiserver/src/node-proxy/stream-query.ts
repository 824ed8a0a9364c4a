import { badRequest } from "@orchernetes/apimachinery";
import type { ConnectOptions } from "./connect-options.ts";

/** Exec and attach: which streams the client wants, in the agent's words. @throws ApiError BadRequest */
export function streamQuery(options: ConnectOptions, subresource: string): URLSearchParams {
  const { stdin, stdout, stderr, tty, command = [] } = options;
  const passed = new URLSearchParams();
  const wants = { input: stdin, output: stdout, error: stderr, tty };
  if (!stdin && !stdout && !stderr) throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  if (tty && stderr) throw badRequest("tty and stderr cannot both be true");
  for (const [name, wanted] of Object.entries(wants)) if (wanted) passed.set(name, "1");
  if (subresource === "exec") {
    if (command.length === 0) throw badRequest("you must specify command for the container");
    for (const word of command) passed.append("command", word);
  }
  return passed;
}

/** Port forward: the ports, in the agent's words. */
export function portQuery({ ports = [] }: ConnectOptions): URLSearchParams {
  return new URLSearchParams(ports.map((port) => ["port", String(port)]));
}
