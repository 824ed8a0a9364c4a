import { existsSync } from "node:fs";
import { fullBatch, renderDifference, ServiceRules } from "@orchernetes/proxy";
import { endpointSlice, NetworkNamespace, noPacketFilter } from "@orchernetes/proxy/testing";
import { service } from "@orchernetes/testkit";
import { median } from "../compare/comparison.ts";
import type { Measure, Row } from "../row.ts";
import { iptablesChange, iptablesServices } from "../services/iptables-services.ts";
import { type ServiceShape, serviceShapes } from "../services/service-shapes.ts";

const sizes = [
  { services: 1000, endpoints: 10, loadAtMost: 0.3 },
  { services: 10_000, endpoints: 5, loadAtMost: 2 },
] as const;
type Size = (typeof sizes)[number];

const ids = ({ services }: Size) => ({
  load: `services-load-${services}`,
  change: `services-change-${services}`,
  iptablesLoad: `services-iptables-load-${services}`,
  iptablesChange: `services-iptables-change-${services}`,
});

function measuresOf(size: Size): readonly Measure[] {
  const { load, change, iptablesLoad, iptablesChange: iptables } = ids(size);
  const count = `${size.services.toLocaleString("en")} services × ${size.endpoints} endpoints`;
  return [
    { id: load, work: `${count}: from objects to rules in the kernel`, unit: "s", atMost: size.loadAtMost },
    { id: iptablesLoad, work: "… the same services with iptables-restore", unit: "s" },
    { id: change, work: `${count}: an endpoint changes, to rules in the kernel`, unit: "ms", atMost: 20 },
    { id: iptables, work: "… the same change with iptables-restore --noflush", unit: "ms" },
  ];
}

const unavailable = (): string | undefined => {
  const iptables = ["/usr/sbin/iptables-restore", "/sbin/iptables-restore"].some((path) => existsSync(path));
  return noPacketFilter() ?? (iptables ? undefined : "iptables is not installed");
};

/** What the rules of services cost, in a network namespace: all of them at the start, and those of one change. */
export const serviceRows: readonly Row[] = sizes.map((size) => ({
  id: `services-${size.services}`,
  measures: measuresOf(size),
  unavailable: unavailable(),
  async run({ quick, defer, note }) {
    const rounds = quick ? 1 : 5;
    const changes = quick ? 3 : 20;
    const namespace = await NetworkNamespace.open();
    defer(() => namespace.close());
    const shapes = serviceShapes(size.services, size.endpoints);
    const loads = Array.from({ length: rounds }, () => loadRules(namespace, shapes));
    const rules = loads.at(-1)?.rules;
    if (rules === undefined) throw new Error("nothing was loaded");
    const changed = shapes.slice(0, changes).map(withOtherEndpoint);
    const computing: number[] = [];
    const times = changed.map((shape) => changeRules(namespace, rules, shape, computing));
    note(`${median(computing).toFixed(2)} ms of a change are this project's, the others nft's`);
    namespace.run("nft", ["flush", "ruleset"]);
    const restore = (input: string) => milliseconds(() => namespace.run("iptables-restore", ["--noflush"], input));
    const own = ids(size);
    return {
      [own.load]: median(loads.map(({ seconds }) => seconds)),
      [own.change]: median(times),
      [own.iptablesLoad]: restore(iptablesServices(shapes)) / 1000,
      [own.iptablesChange]: median(changed.slice(0, 5).map((shape) => restore(iptablesChange(shapes, shape)))),
    };
  },
}));

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** From objects, as informers have them, to rules in the kernel. */
function loadRules(namespace: NetworkNamespace, shapes: readonly ServiceShape[]) {
  const objects = shapes.map(objectsOf);
  const rules = new ServiceRules({
    nodeName: "node-1",
    detectLocal: { mode: "ClusterCIDR", ranges: ["10.128.0.0/9"] },
  });
  const ms = milliseconds(() => {
    for (const { built, slice } of objects) {
      rules.setService(built);
      rules.setEndpointSlice(slice);
    }
    rules.takeChange();
    namespace.run("nft", ["-f", "-"], fullBatch(rules.table()));
  });
  return { rules, seconds: ms / 1000 };
}

function changeRules(
  namespace: NetworkNamespace,
  rules: ServiceRules,
  shape: ServiceShape,
  computing: number[],
): number {
  const { slice } = objectsOf(shape);
  return milliseconds(() => {
    let batch = "";
    computing.push(
      milliseconds(() => {
        rules.setEndpointSlice(slice);
        batch = renderDifference(rules.takeChange().difference);
      }),
    );
    namespace.run("nft", ["-f", "-"], batch);
  });
}

const withOtherEndpoint = (shape: ServiceShape): ServiceShape => ({
  ...shape,
  endpoints: [...shape.endpoints.slice(1), `10.250.0.${shape.index + 1}`],
});

function objectsOf({ index, clusterIP, endpoints }: ServiceShape) {
  const built = service(`s${index}`).port(80, 8080).clusterIP(clusterIP).build();
  return {
    built,
    slice: endpointSlice(
      built,
      endpoints.map((address, i) => ({ address, node: `node-${i}` })),
    ),
  };
}
