import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { Save } from "@atrium/domain/rooms/RoomsApi"
import { useSignal } from "@preact/signals"

import { go } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ask, type Refusal } from "../service/Service.ts"
import { savePath } from "./SaveFiles.ts"

interface Props {
  readonly project: string
  readonly room: string
  readonly save: Save
  readonly onClose: () => void
}

const idMax = RoomLimits.roomIdChars.max
const ending = "-branch"

/** Asks for the id of the room that is made from a save, and leads to it. Source: D-58. */
export const Branch = ({ project, room, save, onClose }: Props) => {
  const id = useSignal(`${room.slice(0, idMax - ending.length)}${ending}`)
  const branch = async (): Promise<Refusal | null> => {
    const roomId = id.value.trim()
    const path = `${savePath({ project, room }, save.saveId)}/branch`
    const answer = await ask({ method: "POST", path, body: { roomId } })
    if (answer._tag === "Refused") return answer
    go(addressOf({ _tag: "Room", project, room: roomId }))
    return null
  }
  return (
    <Confirm
      title="Branch a room from this save?"
      act="Branch"
      harmless
      onAct={branch}
      onClose={onClose}
    >
      <p>
        A new room gets the state of <code>{save.saveId}</code> of{" "}
        <Moment at={save.createdAt} as="time" />, and the room itself is not touched.
      </p>
      <p>
        The branch sleeps. Its timers stand, only test players enter it, and nothing outside of it
        changes by it. It stays on version {save.version} and is kept for 7 days.
      </p>
      <label class="typed">
        <span>Id of the new room</span>
        <input
          type="text"
          autoComplete="off"
          spellcheck={false}
          maxLength={idMax}
          value={id.value}
          onInput={({ currentTarget }) => (id.value = currentTarget.value)}
        />
      </label>
    </Confirm>
  )
}
