import { annotated, boundByController, type Claim, isBoundTo, type Volume } from "./volumes-and-claims.ts";

/**
 * The volume with its reference to the claim. The controller may undo the binding unless a user had reserved the volume
 * for the claim. The same object if nothing changes.
 */
export function reserveVolume(volume: Volume, claim: Claim): Volume {
  const { namespace = "", name, uid, resourceVersion } = claim.metadata;
  const ours = !isBoundTo(volume, claim);
  if (!ours && volume.spec.claimRef?.uid === uid) return volume;
  const kind = "PersistentVolumeClaim";
  const claimRef = { kind, namespace, name, uid, apiVersion: "v1", resourceVersion };
  const reserved = { ...volume, spec: { ...volume.spec, claimRef } };
  return ours ? annotated(reserved, { [boundByController]: "yes" }) : reserved;
}
