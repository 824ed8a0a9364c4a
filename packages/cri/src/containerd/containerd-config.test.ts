import { expect, test } from "vitest";
import { renderCniConflist } from "./cni-conflist.ts";
import { renderContainerdConfig } from "./containerd-config.ts";

const options = {
  root: "/r",
  state: "/s",
  socket: "/s/c.sock",
  cniConfDir: "/c",
  registriesDir: "/g",
  cniBinDir: "/usr/lib/cni",
};

test.each([
  [
    "defaults",
    {},
    [
      'snapshotter = "overlayfs"',
      'sandbox_image = "localhost/pause:1"',
      "restrict_oom_score_adj = false",
      "SystemdCgroup = false",
      'stream_server_address = "127.0.0.1"',
      "netns_mounts_under_state_dir = true",
      'Root = "/s/runc"',
      'path = "/r/opt"',
      'config_path = "/g"',
      "deletion_threshold = 1",
      "pause_threshold = 0.2",
    ],
  ],
  [
    "choices",
    { snapshotter: "native", restrictOomScoreAdj: true, runcPath: "/x/runc" } as const,
    ['snapshotter = "native"', "restrict_oom_score_adj = true", 'BinaryName = "/x/runc"'],
  ],
  ["text in need of quotes", { root: '/a "b"' }, ['root = "/a \\"b\\""']],
])("the containerd configuration holds %s", (_, extra, want) => {
  const lines = renderContainerdConfig({ ...options, ...extra }).split("\n");
  expect(lines).toEqual(expect.arrayContaining(want));
});

test("tables come after the top level keys and have unique names", () => {
  const lines = renderContainerdConfig(options).split("\n");
  expect(lines[0]).toBe("version = 2");
  const tables = lines.filter((line) => line.startsWith("["));
  expect(new Set(tables).size).toBe(tables.length);
  expect(tables).toContain('[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]');
});

test("the CNI network is a bridge with addresses and host ports, without rules for each pod", () => {
  const conflist = JSON.parse(renderCniConflist({ bridge: "o8s0", subnet: "10.1.0.0/24", dataDir: "/d", mtu: 1400 }));
  expect(conflist).toMatchObject({
    cniVersion: "1.0.0",
    name: "orchernetes",
    plugins: [
      {
        type: "bridge",
        bridge: "o8s0",
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        mtu: 1400,
        ipam: { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24" }]], dataDir: "/d" },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  });
});

test.each(["", "sixteen-letters-", "a b", "a/b"])('a bridge can not be named "%s"', (bridge) => {
  expect(() => renderCniConflist({ bridge, subnet: "10.1.0.0/24" })).toThrow(/must be 1 to 15 characters/);
});
