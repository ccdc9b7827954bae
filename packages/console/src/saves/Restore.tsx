import type { Save } from "@atrium/domain/rooms/RoomsApi"

import { Confirm } from "../parts/Confirm.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ask, type Refusal } from "../service/Service.ts"

interface Props {
  readonly path: string
  readonly room: string
  readonly save: Save
  /** @param text says what comes now */
  readonly onQueued: (text: string) => void
  readonly onClose: () => void
}

/** Asks before a save takes the place of a room's state, which stops every room of the project for a while. */
export const Restore = ({ path, room, save, onQueued, onClose }: Props) => {
  const restore = async (): Promise<Refusal | null> => {
    const body = { saveId: save.saveId }
    const answer = await ask({ method: "POST", path: `${path}/restore`, body })
    if (answer._tag === "Refused") return answer
    onQueued(`Queued: the room goes back to ${save.saveId} as soon as its project has stopped.`)
    return null
  }
  return (
    <Confirm
      title="Put the room back to this save?"
      act="Restore"
      typed={room}
      onAct={restore}
      onClose={onClose}
    >
      <p>
        <b>Every room of this project is interrupted:</b> its players lose their connection for some
        seconds, and their clients come back by themselves.
      </p>
      <p>
        This room goes back to <code>{save.saveId}</code> of{" "}
        <Moment at={save.createdAt} as="time" />. What happened in it since then is discarded.
      </p>
    </Confirm>
  )
}
