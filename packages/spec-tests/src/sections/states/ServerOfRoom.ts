import { Untestable } from "../../check/Expect.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** The server that holds a room. */
export const serverOf = async (trial: Trial, stage: RoomStage, room: string): Promise<string> => {
  const servers = await trial.control.servers(stage.project.id)
  const holder = servers.find(({ rooms }) => rooms.includes(room))
  if (holder === undefined) throw new Untestable(`no server holds ${room}`)
  return holder.id
}

/** Does not answer any more, until the check ends or resumes it. */
export const paused = async (trial: Trial, server: string): Promise<void> => {
  trial.later(() => trial.control.server("resume", server))
  await trial.control.server("pause", server)
}
