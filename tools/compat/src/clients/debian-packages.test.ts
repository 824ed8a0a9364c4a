import { expect, test } from "vitest";
import { packagesToInstall } from "./debian-packages.ts";

test.each([
  ["nothing", "0 upgraded, 0 newly installed, 0 to remove and 3 not upgraded.\n", []],
  [
    "a package and what it needs",
    "Reading package lists...\nInst python3-idna (3.3-1 Debian:12/stable [all])\nInst python3-x [1.0] (1.1 Debian:12 [all])\nConf python3-idna (3.3-1)\n",
    ["python3-idna", "python3-x"],
  ],
])("a simulation that would install %s", (_, simulation, want) => {
  expect(packagesToInstall(simulation)).toEqual(want);
});
