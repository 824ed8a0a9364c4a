import { core } from "@orchernetes/api";
import { cloneJson, type Draft, decoderFor, isObject, parseYaml, type Stored } from "@orchernetes/apimachinery";
import { readLimitedFile } from "@orchernetes/kernel";

/** Largest file of manifests, in bytes. */
const MAX_BYTES = 3 * 1024 * 1024;

async function documentsOf(file: string): Promise<readonly unknown[]> {
  const bytes = await readLimitedFile(file, MAX_BYTES);
  return bytes
    .toString("utf8")
    .split(/^---\s*$/m)
    .filter((text) => text.trim() !== "")
    .flatMap((text) => {
      const { value } = parseYaml(text);
      return isObject(value) && Array.isArray(value.items) ? (value.items as unknown[]) : [value];
    });
}

/**
 * Reads the pods of a YAML or JSON file (documents, or a list), with the defaults that the API server sets. Their names
 * may be missing.
 *
 * @throws Error if the file has none, or something else
 */
export async function readPods(file: string): Promise<readonly Stored<core.Pod>[]> {
  const pods = (await documentsOf(file)).map((document, i): Stored<core.Pod> => {
    if (!isObject(document) || document.kind !== "Pod") throw new Error(`${file}: document ${i + 1}: want kind Pod`);
    const pod = cloneJson(decoderFor(core.Pod).decode(document)) as Draft<core.Pod>;
    core.defaultPod(pod);
    const { name, namespace } = pod.metadata;
    if (pod.spec.priority === undefined && pod.spec.priorityClassName)
      throw new Error(`${file}: pod ${name}: want spec.priority: priority classes are not part of a snapshot`);
    const metadata = { ...pod.metadata, name: name || `pod-${i + 1}`, namespace: namespace || "default" };
    return stored({ ...pod, metadata, status: { phase: "Pending" } } as core.Pod);
  });
  if (pods.length === 0) throw new Error(`${file}: want at least one pod`);
  return pods;
}

/** Reads the node of a YAML or JSON file. @throws Error if the file has something else */
export async function readNode(file: string): Promise<Stored<core.Node>> {
  const [document, ...more] = await documentsOf(file);
  if (!isObject(document) || document.kind !== "Node" || more.length > 0)
    throw new Error(`${file}: want one document of kind Node`);
  const node = cloneJson(decoderFor(core.Node).decode(document)) as Draft<core.Node>;
  const allocatable = node.status?.allocatable ?? node.status?.capacity;
  if (allocatable === undefined) throw new Error(`${file}: want status.allocatable`);
  return stored({ ...node, spec: node.spec ?? {}, status: { ...node.status, allocatable } } as core.Node);
}

/** The object with metadata as a server would have set it. */
function stored<T extends core.Pod | core.Node>(object: T): Stored<T> {
  const { name = "", namespace = "" } = object.metadata;
  const uid = `simulated ${namespace}/${name}`;
  const creationTimestamp = new Date(0).toISOString();
  return {
    ...object,
    metadata: { ...object.metadata, name, uid, resourceVersion: "0", creationTimestamp },
  } as Stored<T>;
}
