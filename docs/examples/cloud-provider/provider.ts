/**
 * A cloud in one file: the machines and addresses of `cloud.json` beside it, for managers with `--cloud-provider=grpc`.
 *
 * Run: `node docs/examples/cloud-provider/provider.ts unix:///tmp/cloud.sock`, and start the manager with
 * `--cloud-provider=grpc --cloud-config=docs/examples/cloud-provider/cloud-config.yaml`.
 */
import { readFileSync } from "node:fs";
import { serveCloudProvider } from "../../../packages/cloud-provider/src/grpc-server/index.ts";
import {
  type CloudProvider,
  defaultLoadBalancerName,
  failed,
  succeeded,
} from "../../../packages/cloud-provider/src/index.ts";

interface Cloud {
  /** Machines by the name of their node. */
  readonly machines: Readonly<
    Record<string, { readonly id: string; readonly type: string; readonly zone: string; readonly off?: boolean }>
  >;
  /** Addresses that load balancers get, one each. */
  readonly addresses: readonly string[];
}

// Read at every call: edit the file to see what the controllers do.
const cloud = (): Cloud => JSON.parse(readFileSync(new URL("cloud.json", import.meta.url), "utf8")) as Cloud;
const machineOf = (name: string) => cloud().machines[name];

/** The addresses in use, by the name of the load balancer. */
const balancers = new Map<string, string>();

const provider: CloudProvider = {
  name: "example",
  instances: {
    exists: async ({ metadata: { name } }) => succeeded(machineOf(name) !== undefined),
    isShutDown: async ({ metadata: { name } }) => succeeded(machineOf(name)?.off === true),
    async metadata({ metadata: { name } }) {
      const machine = machineOf(name);
      if (machine === undefined) return failed("NotFound", `there is no machine for node ${name}`);
      const { id, type: instanceType, zone } = machine;
      return succeeded({ providerID: `example://${id}`, instanceType, zone, region: "", addresses: [] });
    },
  },
  loadBalancers: {
    async get(service) {
      const ip = balancers.get(defaultLoadBalancerName(service));
      return succeeded(ip === undefined ? undefined : { ingress: [{ ip }] });
    },
    name: async (service) => succeeded(defaultLoadBalancerName(service)),
    async ensure(service, nodes) {
      const name = defaultLoadBalancerName(service);
      const used = new Set(balancers.values());
      const ip = balancers.get(name) ?? cloud().addresses.find((address) => !used.has(address));
      if (ip === undefined) return failed("InvalidArgument", "all addresses are in use");
      balancers.set(name, ip);
      console.log(`${name} ${ip} -> ${nodes.map(({ metadata }) => metadata.name).join(" ")}`);
      return succeeded({ ingress: [{ ip }] });
    },
    async update(service, nodes) {
      console.log(`${defaultLoadBalancerName(service)} -> ${nodes.map(({ metadata }) => metadata.name).join(" ")}`);
      return succeeded(undefined);
    },
    async ensureDeleted(service) {
      balancers.delete(defaultLoadBalancerName(service));
      return succeeded(undefined);
    },
  },
};

const [endpoint = "unix:///tmp/cloud.sock"] = process.argv.slice(2);
const served = await serveCloudProvider(provider, { endpoint });
console.log(`listening on ${endpoint}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => served.stop());
