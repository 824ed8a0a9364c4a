import {
  type ConversionWebhooks,
  type CustomResources,
  type RuleOptions,
  startCustomResources,
} from "@orchernetes/apiextensions";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { PostStartHook } from "../post-start/hooks.ts";

/** With more servers than one, each gets so long to serve a new resource before the definition says that it is there. */
const establishDelayMs = 5000;

/** What custom resources are served with. */
export interface CustomResourceOptions {
  /** `--apiserver-count` */
  readonly servers: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How conversion webhooks are called. */
  readonly webhooks: ConversionWebhooks;
  /** About the rules in schemas. */
  readonly rules: RuleOptions;
}

/** Serves custom resources from the start on: the server is ready when those are that were defined before. */
export function customResourceHooks({
  servers,
  clock,
  logger,
  webhooks,
  rules,
}: CustomResourceOptions): readonly PostStartHook[] {
  let started: CustomResources | undefined;
  const start = ({ registry, signal }: Parameters<PostStartHook["run"]>[0]): CustomResources => {
    started ??= startCustomResources({
      registry,
      clock,
      logger,
      webhooks,
      rules,
      establishDelayMs: servers > 1 ? establishDelayMs : 0,
      signal,
    });
    return started;
  };
  return [
    {
      name: "start-apiextensions-informers",
      async run(context) {
        start(context);
      },
    },
    {
      name: "start-apiextensions-controllers",
      async run(context) {
        start(context);
      },
    },
    {
      name: "crd-informer-synced",
      run: (context) => start(context).synced,
    },
  ];
}
