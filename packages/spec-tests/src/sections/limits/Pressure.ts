import { Untestable } from "../../check/Expect.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** Makes the server that holds a room one near its memory limit, until the check ends or it is told. */
export const press = async (trial: Trial, stage: RoomStage, room: string) => {
  const servers = await trial.control.servers(stage.project.id)
  const server = servers.find(({ rooms }) => rooms.includes(room))
  if (server === undefined) throw new Untestable(`no server holds ${room}`)
  const release = () => trial.control.pressure(server.id, "none")
  trial.later(release)
  await trial.control.pressure(server.id, "high")
  return release
}

/** For so long the others must be left alone: a service looks at its memory every second or so. */
export const quietMs = 3000
