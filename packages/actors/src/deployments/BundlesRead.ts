import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect, Option } from "effect"

import type { Objects } from "../objects/ObjectRows.ts"
import { bundleKey } from "../rooms/RoomObjects.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"

/** Reads bundles, and keeps those that were read last. */
export const bundlesFrom = (objects: Pick<Objects, "get">) => {
  const read = new RecentlyRead<Uint8Array>({
    weightMax: DeploymentLimits.bundlesReadBytes.max,
    weightOf: (bytes) => bytes.length
  })
  return Effect.fn("DeploymentStore.bundle")(function* (projectId: ProjectId, version: number) {
    const key = bundleKey(projectId, version)
    const known = read.get(key)
    if (known !== undefined) return known
    const bytes = yield* objects.get(key)
    if (Option.isNone(bytes)) return yield* Effect.die(new Error(`bundle ${key} is missing`))
    // Rooms that start at once get the very same bytes: processes are prepared for them, by identity.
    const meanwhile = read.get(key)
    if (meanwhile !== undefined) return meanwhile
    read.set(key, bytes.value)
    return bytes.value
  })
}
