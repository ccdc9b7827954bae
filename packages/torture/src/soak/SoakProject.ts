import { fileURLToPath } from "node:url"

import { call, deployAnew, type RunningService } from "@atrium/api/testing/RunningService"

const folder = fileURLToPath(new URL(".", import.meta.url))

/** A project of a service; the service may be started anew, elsewhere. */
type Place = Pick<RunningService, "url" | "token">

/** A file of `rooms/` with one room type; that of `relaySchema` is a relay room. */
export type RoomFile = "sleeperRoom" | "ledgerRoom" | "widerLedgerRoom" | "relaySchema"

/** Makes a project that has this room type alone. */
export const makeSoakProject = async (service: Place, file: RoomFile): Promise<string> => {
  const { body } = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "soak" }
  })
  const project = body["id"]
  if (typeof project !== "string") throw new Error(`no project: ${JSON.stringify(body)}`)
  await deployRoom(service, project, file)
  return project
}

/** Makes a version, also of code that is the current one. Rejects when the service does not take it. */
export const deployRoom = async (
  { url, token }: Place,
  project: string,
  file: RoomFile
): Promise<void> => {
  const { status, body } = await deployAnew({ url, token, project }, [`rooms/${file}.ts`], folder)
  if (status !== 201) throw new Error(`${file} was not deployed: ${status} ${JSON.stringify(body)}`)
}
