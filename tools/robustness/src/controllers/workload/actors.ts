import { daemonSets, deployments, jobs, replicaSets, statefulSets } from "../api/resources.ts";
import { VERSION_LABEL } from "../facts/facts-of.ts";
import { FAILURES_ANNOTATION } from "../pods/pod-runner.ts";
import type { Dice } from "./dice.ts";
import type { Writer } from "./writer.ts";

/** An owner: its creation, and the random change that follows, again and again. */
interface Actor {
  create(): Promise<void>;
  change(): Promise<void>;
}

/** An actor that writes by a writer and decides by dice. */
type ActorMaker = (writer: Writer, dice: Dice) => Actor;

const container = { name: "main", image: "localhost/none:1" };

const templateOf = (app: string, version: string) => ({
  metadata: { labels: { app, [VERSION_LABEL]: version } },
  spec: { containers: [container], terminationGracePeriodSeconds: 30 },
});

const labelled = (app: string) => ({ matchLabels: { app } });

/** The change of a template's version, for objects of every kind. */
const toVersion = (version: string) => ({
  spec: { template: { metadata: { labels: { [VERSION_LABEL]: version } } } },
});

/** The versions of a template: mostly a new one, sometimes back to an earlier one. */
class Versions {
  #last = 1;
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  next(): string {
    if (this.#dice.chance(0.25)) return `v${this.#dice.int(1, this.#last)}`;
    this.#last += 1;
    return `v${this.#last}`;
  }
}

const rollingDeployment: ActorMaker = (writer, dice) => {
  const app = "web";
  const versions = new Versions(dice);
  const maxSurge = dice.pick([0, 1, 2, "25%", "50%", "100%"]);
  const maxUnavailable = maxSurge === 0 ? dice.pick([1, 2, "25%", "60%"]) : dice.pick([0, 1, "25%"]);
  return {
    create: () =>
      writer.create(deployments, app, {
        spec: {
          replicas: dice.int(2, 8),
          selector: labelled(app),
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
          template: templateOf(app, "v1"),
        },
      }),
    async change() {
      if (dice.chance(0.6)) await writer.change(deployments, app, toVersion(versions.next()));
      else if (dice.chance(0.7)) await writer.change(deployments, app, { spec: { replicas: dice.int(1, 9) } });
      else await writer.disrupt(app, dice);
    },
  };
};

const plainReplicaSet: ActorMaker = (writer, dice) => {
  const app = "plain";
  return {
    create: () =>
      writer.create(replicaSets, app, {
        spec: { replicas: dice.int(1, 10), selector: labelled(app), template: templateOf(app, "v1") },
      }),
    async change() {
      if (dice.chance(0.7)) await writer.change(replicaSets, app, { spec: { replicas: dice.int(0, 12) } });
      else await writer.disrupt(app, dice);
    },
  };
};

const orderedOrParallelSet =
  (app: string, podManagementPolicy: "OrderedReady" | "Parallel"): ActorMaker =>
  (writer, dice) => {
    const versions = new Versions(dice);
    return {
      create: () =>
        writer.create(statefulSets, app, {
          spec: {
            replicas: dice.int(2, 4),
            serviceName: app,
            podManagementPolicy,
            selector: labelled(app),
            template: templateOf(app, "v1"),
          },
        }),
      async change() {
        if (dice.chance(0.4)) await writer.change(statefulSets, app, toVersion(versions.next()));
        else if (dice.chance(0.5)) await writer.change(statefulSets, app, { spec: { replicas: dice.int(1, 5) } });
        else if (dice.chance(0.6)) {
          const rollingUpdate = { partition: dice.int(0, 3) };
          await writer.change(statefulSets, app, { spec: { updateStrategy: { rollingUpdate } } });
        } else await writer.disrupt(app, dice);
      },
    };
  };

const daemons: ActorMaker = (writer, dice) => {
  const app = "agent";
  const versions = new Versions(dice);
  const rollingUpdate = dice.chance(0.5)
    ? { maxUnavailable: dice.pick([1, 2, "40%"]) }
    : { maxUnavailable: 0, maxSurge: dice.pick([1, 2, "40%"]) };
  return {
    create: () =>
      writer.create(daemonSets, app, {
        spec: {
          selector: labelled(app),
          updateStrategy: { type: "RollingUpdate", rollingUpdate },
          template: templateOf(app, "v1"),
        },
      }),
    async change() {
      if (dice.chance(0.7)) await writer.change(daemonSets, app, toVersion(versions.next()));
      else await writer.disrupt(app, dice);
    },
  };
};

const jobOf =
  (app: string, completionMode: "Indexed" | "NonIndexed"): ActorMaker =>
  (writer, dice) => {
    const { metadata, spec } = templateOf(app, "v1");
    const annotations = { [FAILURES_ANNOTATION]: dice.pick(["0", "0", "0.2", "0.5"]) };
    return {
      create: () =>
        writer.create(jobs, app, {
          spec: {
            completionMode,
            completions: dice.int(4, 10),
            parallelism: dice.int(2, 4),
            backoffLimit: dice.pick([0, 2, 6, 20]),
            template: { metadata: { ...metadata, annotations }, spec: { ...spec, restartPolicy: "Never" } },
          },
        }),
      change: () => writer.change(jobs, app, { spec: { parallelism: dice.int(1, 5) } }),
    };
  };

/** One of every kind. */
export const actorMakers: readonly ActorMaker[] = [
  rollingDeployment,
  plainReplicaSet,
  orderedOrParallelSet("ordered", "OrderedReady"),
  orderedOrParallelSet("parallel", "Parallel"),
  daemons,
  jobOf("indexed", "Indexed"),
  jobOf("counted", "NonIndexed"),
];
