import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** Awake rooms of a type, each with a client. */
export const wakeRooms = async (stage: RoomStage, type: string, count: number): Promise<void> => {
  for (let room = 0; room < count; room++) await stage.client(`${type}-${room}`, { type })
}

/** How many rooms each of the project's servers holds, the fullest first. */
export const roomsPerServer = async (
  trial: Trial,
  stage: RoomStage
): Promise<ReadonlyArray<number>> => {
  const servers = await trial.control.servers(stage.project.id)
  return servers.map(({ rooms }) => rooms.length).toSorted((one, other) => other - one)
}
