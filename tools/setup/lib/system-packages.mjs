import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { run } from "./process.mjs";

/** What each Debian package is needed for, and the file that shows that it is there. */
const PACKAGES = [
  { name: "etcd-server", files: ["/usr/bin/etcd"], needed: "the etcd store" },
  { name: "containerd", files: ["/usr/bin/containerd"], needed: "real containers" },
  { name: "runc", files: ["/usr/sbin/runc", "/usr/bin/runc"], needed: "real containers" },
  {
    name: "containernetworking-plugins",
    files: ["/usr/lib/cni/bridge", "/opt/cni/bin/bridge"],
    needed: "pod networking",
  },
  { name: "iproute2", files: ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"], needed: "pod networking" },
  { name: "iptables", files: ["/usr/sbin/iptables", "/sbin/iptables"], needed: "pod networking" },
  { name: "busybox-static", files: ["/bin/busybox", "/usr/bin/busybox"], needed: "the demo image" },
];

/** What only one of the commands uses. */
const MORE_PACKAGES = {
  bench: [{ name: "wrk", files: ["/usr/bin/wrk"], needed: "the load of the benchmark" }],
  test: [
    {
      name: "kubernetes-client",
      files: [process.env.KUBECTL ?? "", "/usr/bin/kubectl", "/usr/local/bin/kubectl"],
      needed: "the end-to-end tests",
    },
    { name: "docker.io", files: ["/usr/sbin/dockerd"], needed: "the tests of container images" },
  ],
};

const missingOf = (packages) => packages.filter((p) => !p.files.some((f) => f !== "" && existsSync(f)));

/** Packages must not start their daemons: the local cluster runs its own copies and leaves the host's alone. */
async function withoutServiceStart(work) {
  const policy = "/usr/sbin/policy-rc.d";
  if (existsSync(policy)) return work();
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    return await work();
  } finally {
    rmSync(policy, { force: true });
  }
}

/**
 * Installs the system packages that are missing, on Debian as root. Elsewhere, or when apt-get fails, says in one line what
 * is missing and what will be skipped for it; that line is returned for the test summary.
 * @param {"bench" | "test"} [command] whose own packages are wanted too
 */
export async function ensureSystemPackages(command) {
  const packages = [...PACKAGES, ...(MORE_PACKAGES[command] ?? [])];
  const wanted = missingOf(packages);
  if (wanted.length === 0) return [];
  const names = wanted.map((p) => p.name);
  const canInstall =
    process.platform === "linux" && process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
  if (canInstall) {
    console.log(`Installing system packages: ${names.join(", ")} …`);
    const options = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    await withoutServiceStart(async () => {
      const install = () => run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], options);
      await run("apt-get", ["update", "-qq"], options);
      if ((await install()) !== 0) await install();
    });
  }
  const left = missingOf(packages);
  if (left.length === 0) return [];
  const why = canInstall
    ? "apt-get could not install them"
    : "they can be installed by this script only on Debian as root";
  const lines = left.map((p) => `${p.name} (for ${p.needed})`);
  console.log(`Missing system packages: ${lines.join(", ")}; ${why}. What needs them is skipped.`);
  return lines;
}
