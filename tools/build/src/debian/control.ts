import type { DaemonName } from "../programs.ts";

/** Files of the package manager by their name in DEBIAN/. */
export type MaintainerFiles = Readonly<Record<string, string>>;

const architecture = process.arch === "arm64" ? "arm64" : "amd64";

interface Fields {
  readonly name: string;
  readonly version: string;
  readonly depends: string;
  readonly summary: string;
  readonly recommends?: string;
}

const control = ({ name, version, depends, summary, recommends }: Fields): string =>
  [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    "Maintainer: The Orchernetes authors <orchernetes@localhost>",
    "Section: admin",
    "Priority: optional",
    `Depends: ${depends}`,
    ...(recommends === undefined ? [] : [`Recommends: ${recommends}`]),
    `Description: ${summary}`,
    " Part of Orchernetes, a cluster control plane that speaks the Kubernetes 1.27 API.",
    "",
  ].join("\n");

/** The user of the control plane's daemons has no home, no shell and no rights. */
const MAKE_USER = `#!/bin/sh
set -e
if [ "$1" = configure ] && ! getent passwd orchernetes >/dev/null; then
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin orchernetes
fi
`;

export const commonControl = (version: string): MaintainerFiles => ({
  control: control({
    name: "orchernetes-common",
    version,
    depends: "libc6 (>= 2.28), libstdc++6, libatomic1, passwd, libc-bin",
    summary: "Node and the user of the Orchernetes daemons",
  }),
  postinst: MAKE_USER,
});

const SUMMARIES: Readonly<Record<DaemonName, string>> = {
  "orch-apiserver": "Orchernetes API server",
  "orch-scheduler": "Orchernetes scheduler",
  "orch-controller-manager": "Orchernetes controllers",
  "cloud-controller-manager": "Orchernetes controllers of a cloud provider",
  "orch-proxy": "Orchernetes network proxy",
  orchlet: "Orchernetes node agent",
  "metrics-server": "Orchernetes server of the metrics API",
};

/** Where systemd runs. A package may also be installed into a folder or a container. */
const IF_SYSTEMD = "[ -d /run/systemd/system ]";

/**
 * A new daemon is neither enabled nor started: it needs flags first. One that runs is restarted by an update, and stopped by a removal.
 */
export const daemonControl = (name: DaemonName, version: string): MaintainerFiles => ({
  control: control({
    name,
    version,
    depends: `orchernetes-common (= ${version})${name === "orchlet" ? ", mount" : ""}`,
    summary: SUMMARIES[name],
    ...(name === "orchlet" && { recommends: "containerd, containernetworking-plugins" }),
    // Without these it serves services in user space.
    ...(name === "orch-proxy" && { recommends: "nftables, conntrack, iproute2, kmod" }),
    ...(name === "orch-apiserver" && { recommends: "etcd-server" }),
  }),
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ] && ${IF_SYSTEMD}; then
  systemctl daemon-reload
  systemctl try-restart ${name}.service
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && ${IF_SYSTEMD}; then
  systemctl disable --now ${name}.service
fi
`,
  postrm: `#!/bin/sh
set -e
if ${IF_SYSTEMD}; then systemctl daemon-reload; fi
`,
});
