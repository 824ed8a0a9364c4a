import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { run } from "./process.mjs";

/** Debian packages, what each is needed for, and the files that show that it is installed. */
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
  { name: "nftables", files: ["/usr/sbin/nft", "/sbin/nft"], needed: "services" },
  { name: "conntrack", files: ["/usr/sbin/conntrack", "/sbin/conntrack"], needed: "services" },
  { name: "curl", files: ["/usr/bin/curl"], needed: "names of services in the demo image" },
  { name: "busybox-static", files: ["/bin/busybox", "/usr/bin/busybox"], needed: "the demo image" },
];

/** Packages that only one of the commands uses. */
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

/**
 * Prevents packages from starting their daemons during `work` (policy-rc.d): the local cluster runs its own copies
 * and must not disturb those of the host.
 */
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
 * Installs missing system packages, on Debian as root. Elsewhere, or if apt-get fails, prints in one line what is
 * missing.
 *
 * @param {"bench" | "test"} [command] whose own packages are wanted too
 * @returns one line for each missing package, for the test summary
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
  const why = canInstall ? "apt-get could not install them" : "this script can install them only on Debian as root";
  const lines = left.map((p) => `${p.name} (for ${p.needed})`);
  console.log(`Missing system packages: ${lines.join(", ")}; ${why}. Tests and commands that need them are skipped.`);
  return lines;
}
