import { resolve } from "node:path";
import { expect, test } from "vitest";
import { busyboxImage } from "../images/busybox-images.ts";
import { ContainerConfig } from "../v1/container.ts";
import { containerArgv, hostCommand, rootVariable } from "./host-command.ts";
import { createHostImages } from "./host-images.ts";

const config = (fields: object): ContainerConfig => ContainerConfig.decode(ContainerConfig.encode(fields));
const image = { reference: "i", entrypoint: ["/entry", "-e"], cmd: ["serve", "-c"] };

test.each([
  ["the image's own", {}, ["/entry", "-e", "serve", "-c"]],
  ["arguments replace the image's command", { args: ["a"] }, ["/entry", "-e", "a"]],
  ["a command replaces both", { command: ["run"] }, ["run"]],
  ["a command with arguments", { command: ["run", "x"], args: ["a", ""] }, ["run", "x", "a", ""]],
])("command line of a container: %s", (_, fields, want) => {
  expect(containerArgv(config(fields), image)).toEqual(want);
});

const folders = { rootfs: "/root-of-container", bin: "/nowhere" };
const commandOf = (name: string, fields: object = {}) => hostCommand([name], config(fields), "web-0", folders);

test("a command has the container's host name and root, and its own variables come last", () => {
  const { env, argv, cwd } = commandOf("sh", {
    envs: [
      { key: "HOME", value: "/h" },
      { key: "A", value: "" },
    ],
  });
  expect(env).toMatchObject({ HOSTNAME: "web-0", HOME: "/h", A: "", [rootVariable]: "/root-of-container" });
  expect(env).not.toHaveProperty("TERM");
  expect(commandOf("sh", { tty: true }).env).toMatchObject({ TERM: "xterm" });
  expect([argv, resolve(cwd)]).toEqual([["sh"], "/root-of-container"]);
});

test.each([
  ["/work", "/root-of-container/work"],
  ["work", "/root-of-container/work"],
  ["../../etc", "/root-of-container/etc"],
])("the working folder %s is inside of the container", (workingDir, want) => {
  expect(commandOf("sh", { workingDir }).cwd).toBe(want);
});

test.each([
  ["", "no command specified"],
  ["no-such-program", 'exec: "no-such-program": executable file not found in $PATH'],
  ["/no/such/program", 'exec: "/no/such/program": stat /no/such/program: no such file or directory'],
  ["/proc/version", 'exec: "/proc/version": permission denied'],
  ["/etc", 'exec: "/etc": permission denied'],
])("the program %j cannot be run, for the reason that other runtimes give", (name, message) => {
  expect(() => commandOf(name)).toThrow(message);
});

test("a program is searched in the PATH that the container sets", () => {
  expect(() => commandOf("sh", { envs: [{ key: "PATH", value: "/nowhere" }] })).toThrow("not found in $PATH");
});

test("a user that does not exist is an error that names it", () => {
  const linux = { securityContext: { runAsUsername: "no-such-user" } };
  expect(() => commandOf("sh", { linux })).toThrow("unable to find user no-such-user");
});

test("images that are listed or local exist, by reference or id, and others do not", () => {
  const images = createHostImages(["example.com/listed"]);
  const listed = images.find("example.com/listed:latest");
  expect(listed?.repoTags).toEqual(["example.com/listed:latest"]);
  expect(images.find("example.com/listed")).toBe(listed);
  expect(images.find(listed?.id ?? "")).toBe(listed);
  expect(images.find((listed?.id ?? "").slice("sha256:".length))).toBe(listed);
  expect(images.find(busyboxImage)).toBeDefined();
  expect(images.find("localhost/new:1")?.repoTags).toEqual(["localhost/new:1"]);
  expect(images.find("example.com/other")).toBeUndefined();
  expect(images.find("example.com/localhost/x:1")).toBeUndefined();
  expect(() => images.pull("example.com/other")).toThrow(/NotFound/);
});
