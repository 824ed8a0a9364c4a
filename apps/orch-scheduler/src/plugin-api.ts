/**
 * What authors of scheduler plugins import, as types: see `docs/scheduler-plugins.md`.
 *
 * @module
 */
export type { ObjectReference } from "@orchernetes/client";
export type { NodeTable } from "./cache/node-table.ts";
export type { PodInfo } from "./cache/pod-info.ts";
export type { CycleState, StateKey } from "./framework/cycle-state.ts";
export type * from "./framework/extension-point.ts";
export type * from "./framework/interfaces.ts";
export type { WaitingPod, WaitingPods } from "./framework/waiting-pods.ts";
export type { PluginDefinition, UserPluginHandle } from "./plugin-definition.ts";
export type { EventSubject, PluginEvent, PluginEventRecorder } from "./plugin-events.ts";
export type { ClusterState, PluginHandle } from "./plugin-handle.ts";
