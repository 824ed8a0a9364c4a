import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ImageArchive } from "@orchernetes/cri/images";

/** Stands in for the registries from which specs pull. */
export interface StandInRegistry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  close(): void;
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

/** Repositories of this prefix are for whoever has some credentials: those that the suite has are of an account that no longer exists. */
const PRIVATE = "authenticated-image-pulling/";

/** `o8s.gcr.io/e2e-test-images/agnhost:2.21` as the registry is asked for it, without the host: repository and tag. */
const pathOf = (reference: string): string => reference.slice(reference.indexOf("/") + 1);

/** Hosts of image references. */
export const registriesOf = (images: readonly ImageArchive[]): readonly string[] => [
  ...new Set(images.map(({ reference }) => reference.slice(0, reference.indexOf("/")))),
];

/** Serves images as a registry does (OCI distribution, pull only), whatever host they are of. */
export async function startStandInRegistry(images: readonly ImageArchive[]): Promise<StandInRegistry> {
  const tags = new Map(images.map((image) => [pathOf(image.reference), image.manifest]));
  const blobs = new Map(images.flatMap((image) => [...image.blobs]));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname);
    const [, repository = "", kind, name = ""] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
    if (repository.startsWith(PRIVATE) && request.headers.authorization === undefined) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
      return;
    }
    const digest = name.startsWith("sha256:") ? name : (tags.get(`${repository}:${name}`) ?? "");
    const found = blobs.get(digest);
    if (found === undefined) {
      response.writeHead(path === "/v2/" ? 200 : 404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": kind === "manifests" ? MANIFEST : "application/octet-stream",
      "content-length": found.length,
      "docker-content-digest": digest,
    });
    response.end(request.method === "HEAD" ? undefined : found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Makes containerds pull images of the hosts from the registry. They read the files at each pull.
 *
 * @param folders - folders of registries of the containerds
 */
export async function useRegistry(
  { host }: StandInRegistry,
  hosts: readonly string[],
  folders: readonly string[],
): Promise<void> {
  for (const folder of folders)
    for (const name of hosts) {
      await mkdir(join(folder, name), { recursive: true });
      const lines = [`server = "https://${name}"`, "", `[host."http://${host}"]`, 'capabilities = ["pull", "resolve"]'];
      await writeFile(join(folder, name, "hosts.toml"), `${lines.join("\n")}\n`);
    }
}
