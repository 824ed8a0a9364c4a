import type { BinderAction } from "./actions.ts";

/** Formats actions as lines with their essential content. */
export const linesOf = (actions: readonly BinderAction[]): readonly string[] => actions.map(lineOf);

function lineOf(action: BinderAction): string {
  switch (action.type) {
    case "UpdateVolume": {
      const { spec, metadata } = action.volume;
      const { claimRef } = spec;
      const marks = Object.keys(metadata.annotations ?? {}).map((key) => key.split("/")[1]);
      return `volume ${metadata.name} claim=${claimRef?.name ?? "-"}:${claimRef?.uid ?? "-"} ${marks.join()}`.trim();
    }
    case "UpdateVolumeStatus":
      return `volume ${action.volume.metadata.name} is ${action.volume.status?.phase}`;
    case "UpdateClaim": {
      const { spec, metadata } = action.claim;
      const marks = Object.keys(metadata.annotations ?? {}).map((key) => key.split("/")[1]);
      const words = [`volume=${spec.volumeName ?? "-"}`, `class=${spec.storageClassName ?? "-"}`, marks.join()];
      return `claim ${metadata.name} ${words.join(" ")}`.trim();
    }
    case "UpdateClaimStatus": {
      const { phase, capacity, accessModes } = action.claim.status ?? {};
      return `claim ${action.claim.metadata.name} is ${phase} ${capacity?.storage ?? "-"} ${accessModes ?? "-"}`;
    }
    case "Event":
      return `${action.of} ${action.reason}: ${action.message}`;
    case "Provision":
      return `provision by ${action.storageClass.provisioner}`;
    case "Reclaim":
      return `reclaim ${action.volume.metadata.name}`;
    case "SyncClaim":
      return "claim next";
  }
}
