import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { createPaths } from "../util/paths.ts";
import { mountsOf } from "./mounts.ts";

test("a container cannot mount so many parts of volumes that the node runs out of mounts", async () => {
  const volumeMounts = Array.from({ length: 501 }, (_, i) => ({ name: "v", mountPath: `/m${i}`, subPath: `s${i}` }));
  const pod = testPod({ containers: [{ name: "c", image: "i", volumeMounts }] });
  const options = { volumes: new Map(), environment: new Map(), paths: createPaths("/nowhere"), etcHosts: undefined };
  await expect(mountsOf(pod, pod.spec.containers[0] as core.Container, options)).rejects.toThrow(
    'container "c" mounts 501 parts of volumes; want at most 500',
  );
});
