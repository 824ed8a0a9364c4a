import { AuditPolicyEvaluator, type AuditRecorder, type AuditSink, createPolicyRecorder } from "@orchernetes/apiserver";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { AuditMetrics } from "../metrics/audit-metrics.ts";
import type { AuditSettings, LogSettings } from "./audit-settings.ts";
import type { AuditBackend } from "./backend.ts";
import { BatchSink } from "./batch-sink.ts";
import { BlockingSink } from "./blocking-sink.ts";
import { createLogBackend, type LineWriter, lineOf } from "./log-backend.ts";
import { LogBatches } from "./log-batches.ts";
import { lostEventReporter } from "./lost-event-reporter.ts";
import { RotatingFile } from "./rotating-file.ts";
import { standardOutput } from "./standard-output.ts";
import { TruncatingSink } from "./truncating-sink.ts";
import { unionSink } from "./union-sink.ts";
import { createWebhookBackend, type EventPoster } from "./webhook-backend.ts";

/** Records requests in the backends that the flags name. */
export interface Audit {
  readonly recorder: AuditRecorder;
  /**
   * Delivers the waiting events and closes the backends. Events that are not delivered within `timeoutMs` are lost, so that a webhook that
   * is down does not keep the process from ending.
   */
  close(timeoutMs: number): Promise<void>;
}

/** Parts of {@link createAudit}. */
export interface AuditParts {
  readonly metrics: AuditMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Creates the client of the webhook. It is passed in so that servers without a webhook do not load the client. */
  readonly poster: (settings: NonNullable<AuditSettings["webhook"]>) => Promise<EventPoster>;
}

/** A sink, and how to close it with its backend. */
interface Delivery {
  readonly sink: AuditSink;
  close(): Promise<void>;
}

/**
 * Opens the backends of the settings. Each event passes truncation (if it is enabled), then batching or blocking, then the backend, as in
 * upstream's `options.AuditOptions`.
 *
 * @throws Error if the log cannot be opened
 */
export async function createAudit(settings: AuditSettings, parts: AuditParts): Promise<Audit> {
  const { metrics, clock, logger } = parts;
  const reportLost = lostEventReporter({ count: metrics.lost, logger, clock });
  const deliveries: Delivery[] = [];
  const add = (sink: AuditSink, maxEventBytes: number | undefined, close: Delivery["close"]) =>
    void deliveries.push({
      sink: maxEventBytes === undefined ? sink : new TruncatingSink(sink, maxEventBytes, reportLost),
      close,
    });
  const addBackend = (backend: AuditBackend, { mode, maxEventBytes }: Pick<LogSettings, "mode" | "maxEventBytes">) => {
    const batch = mode.type === "batch" ? new BatchSink({ ...mode, backend, reportLost, clock }) : undefined;
    const sink = batch ?? new BlockingSink(backend, mode.type === "blocking" && mode.strict, reportLost);
    add(sink, maxEventBytes, async () => {
      await batch?.close();
      await backend.close();
    });
  };
  const { log, webhook } = settings;
  if (log !== undefined) {
    const writer = await openLog(log, parts);
    const { mode, format, maxEventBytes } = log;
    // A throttle counts batches, so it needs the general sink. Without one, the log has a faster batch mode of its own.
    if (mode.type !== "batch" || mode.throttle !== undefined) addBackend(createLogBackend(writer, format), log);
    else {
      const { bufferSize } = mode;
      const batches = new LogBatches({ bufferSize, writer, line: lineOf(format), reportLost, clock });
      add(batches, maxEventBytes, async () => {
        await batches.close();
        await writer.close();
      });
    }
  }
  if (webhook !== undefined) addBackend(createWebhookBackend(await parts.poster(webhook)), webhook);
  return {
    recorder: createPolicyRecorder({
      policy: new AuditPolicyEvaluator(settings.policy),
      sink: unionSink(deliveries.map(({ sink }) => sink)),
      holdsAnswers: [log, webhook].some((backend) => backend?.mode.type === "blocking"),
      counts: metrics,
      clock,
    }),
    async close(timeoutMs) {
      const timeout = new AbortController();
      const closed = Promise.all(deliveries.map((delivery) => delivery.close()));
      await Promise.race([closed, clock.sleep(timeoutMs, timeout.signal).catch(() => undefined)]);
      timeout.abort();
    },
  };
}

async function openLog(settings: LogSettings, { clock, logger }: AuditParts): Promise<LineWriter> {
  return settings.path === "-" ? standardOutput() : RotatingFile.open({ ...settings, clock, logger });
}
