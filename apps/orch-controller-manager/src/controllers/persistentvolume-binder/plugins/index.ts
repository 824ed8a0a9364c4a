import type { VolumeSettings } from "../settings.ts";
import { hostPathPlugin } from "./host-path.ts";
import { recyclerPod } from "./recycler-pod.ts";
import type { VolumePlugin } from "./volume-plugin.ts";

/** The kinds of volumes that this program knows. */
export function volumePlugins(settings: VolumeSettings): readonly VolumePlugin[] {
  return [
    hostPathPlugin(settings),
    {
      name: "orchernetes.io/nfs",
      supports: ({ spec }) => spec.nfs !== undefined,
      recyclerPod: (volume) => {
        const { server = "", path = "" } = volume.spec.nfs ?? {};
        return recyclerPod(volume, { nfs: { server, path } }, settings.nfsRecycler);
      },
    },
    { name: "orchernetes.io/local-volume", supports: ({ spec }) => spec.local !== undefined },
    { name: "orchernetes.io/csi", supports: ({ spec }) => spec.csi !== undefined },
  ];
}
