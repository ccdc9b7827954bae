import { Limits } from "./Limits.ts"

/** What a project's server runs with, from the start of its first room until it holds none. */
export interface ServerSettings {
  readonly connectionsPerIpPerMin: number
  readonly vmMemMib: number
}

/** What may be set about servers; `null` = nothing is. */
interface Chosen {
  readonly connectionsPerIpPerMin: number | null
  readonly vmMemMib: number | null
}

/** MiB of a server whose project has set nothing. Spec: Project settings and caps, Effects; T-43. */
const automaticMib = { plain: 128, physics: 256 } as const

/**
 * What the project has set wins; then what the operator has, by the environment of the service; then
 * the default. Memory that is set wins outright, also over the size that physics would ask for.
 * Spec: Project settings and caps, Effects.
 *
 * @param physics whether a schema of the deployment declares physics
 */
export const serverSettings = ({
  project,
  service,
  physics
}: {
  readonly project: Chosen
  readonly service: Pick<Chosen, "connectionsPerIpPerMin">
  readonly physics: boolean
}): ServerSettings => ({
  connectionsPerIpPerMin:
    project.connectionsPerIpPerMin ??
    service.connectionsPerIpPerMin ??
    Limits.connectionsPerIpPerMinDefault.max,
  vmMemMib: project.vmMemMib ?? (physics ? automaticMib.physics : automaticMib.plain)
})
