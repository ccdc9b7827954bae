import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import type { JoinPlace } from "@atrium/api/testing/load/RoomSeat"
import type { BenchService } from "@atrium/api/testing/load/Servers"
import { sleep } from "@atrium/api/testing/load/Tasks"
import { descendantsOf } from "@atrium/api/testing/ProcessTree"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { MiB } from "@atrium/wire/limits/Limit"

import { anonBytesOf } from "../soak/ServiceProcesses.ts"

const lookEveryMs = 1_000
/** How often a gauge of the service is read: what a look costs, the players here wait for. */
export const gaugeLookMs = 250

/** A project with the rooms of the attack, and its credentials. */
export const battlefield = async (
  service: BenchService
): Promise<{ readonly place: JoinPlace; readonly secret: string }> => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "abuse" } })
  const project = String(made.body["id"])
  const rooms = `${import.meta.dirname}/rooms`
  const deployed = await deploy({ url, token, project }, ["AbuseRooms.ts"], rooms)
  if (deployed.status !== 201) throw new Error(`no deployment: ${JSON.stringify(deployed.body)}`)
  const minted = await call(url, `/v1/projects/${project}/jwt-secret`, { token, body: {} })
  const secret = String(minted.body["secret"])
  const credential = (player: string): string => joinCredential({ project, secret, player })
  return { place: { pid: service.pid, port: service.port, project, credential }, secret }
}

/** Of the service and all that it has started. What a look costs, the players here wait for, too. */
export const memoryOf = ({ pid }: BenchService): number => {
  const bytes = [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + anonBytesOf(each), 0)
  return Math.round(bytes / MiB)
}

/** The most memory that was seen in a span. */
export const watched = async (service: BenchService, ms: number): Promise<number> => {
  const deadline = performance.now() + ms
  let peak = 0
  while (performance.now() < deadline) {
    peak = Math.max(peak, memoryOf(service))
    await sleep(lookEveryMs)
  }
  return peak
}
