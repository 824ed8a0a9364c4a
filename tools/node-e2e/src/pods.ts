import { core } from "@orchernetes/api";
import { type Draft, decoderFor } from "@orchernetes/apimachinery";

/** A pod with defaults that is bound to `node-a`, in namespace `default` with uid `uid-NAME`; its first container is `c` of busybox. */
export function podOf(name: string, container: object, spec: object = {}, metadata: object = {}): core.Pod {
  const first = { name: "c", image: "localhost/busybox:1", ...container };
  const { containers: more = [], ...rest } = spec as { readonly containers?: readonly object[] };
  const pod = decoderFor(core.Pod).decode({
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...metadata },
    spec: { nodeName: "node-a", terminationGracePeriodSeconds: 1, ...rest, containers: [first, ...more] },
    status: {},
  });
  core.defaultPod(pod as Draft<core.Pod>);
  return pod;
}

/** The part of a container that runs a shell command. */
export const shell = (command: string) => ({ command: ["sh", "-c", command] });
