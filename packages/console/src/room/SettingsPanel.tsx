import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import { useSignal } from "@preact/signals"

import { go } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn, useActs } from "../service/Acts.ts"
import { ask } from "../service/Service.ts"
import { changedRoom, type TypedRoom } from "./ChangedRoom.ts"

interface Props {
  readonly project: string
  readonly room: string
  readonly path: string
  readonly detail: RoomDetail
  readonly onDone: () => void
}

/** How long a room is kept, whether the lobby lists it, and its deletion. Source: C-809. */
export const SettingsPanel = ({ project, room, path, detail, onDone }: Props) => {
  const typed = useSignal<TypedRoom>({ retention: detail.retentionOverride ?? "", listed: "" })
  const deletes = useSignal(false)
  const { works, refused, act } = useActs()
  const body = changedRoom(detail, typed.value)
  const save = async (): Promise<void> => {
    if ((await act({ method: "PATCH", path, body })) === null) return
    typed.value = { ...typed.value, listed: "" }
    onDone()
  }
  return (
    <Panel
      title="Settings"
      asked={{ method: "PATCH", path, body, credential: "key" }}
      command={{
        words: ["rooms", "set"],
        flags: {
          project,
          retention: body.retention === null ? "clear" : body.retention,
          public: body.public === undefined ? undefined : String(body.public)
        },
        values: [room]
      }}
    >
      <Fields
        typed={typed.value}
        onChange={(next) => (typed.value = next)}
        canSave={!works.value && Object.keys(body).length > 0}
        onSave={() => void save()}
        onDelete={() => (deletes.value = true)}
      />
      {refused.value !== null && <Fault refusal={refused.value} />}
      {deletes.value && (
        <Delete
          project={project}
          room={room}
          path={path}
          detail={detail}
          onDone={() => (deletes.value = false)}
        />
      )}
    </Panel>
  )
}

interface FieldsProps {
  readonly typed: TypedRoom
  readonly onChange: (next: TypedRoom) => void
  readonly canSave: boolean
  readonly onSave: () => void
  readonly onDelete: () => void
}

const Fields = ({ typed, onChange, canSave, onSave, onDelete }: FieldsProps) => (
  <form
    class="form"
    onSubmit={(event) => {
      event.preventDefault()
      onSave()
    }}
  >
    <div class="row">
      <label>
        <span class="label">Kept after its last use</span>
        <input
          type="text"
          placeholder="as its type"
          spellcheck={false}
          value={typed.retention}
          onInput={({ currentTarget }) => onChange({ ...typed, retention: currentTarget.value })}
        />
        <span class="under">10m, 30d or forever; empty: as its type says</span>
      </label>
      <label>
        <span class="label">In the lobby</span>
        <select
          value={typed.listed}
          onChange={({ currentTarget }) => onChange({ ...typed, listed: currentTarget.value })}
        >
          <option value="">as it is</option>
          <option value="true">list it</option>
          <option value="false">do not list it</option>
        </select>
      </label>
    </div>
    <div class="row">
      <button disabled={!canSave}>Save</button>
      <button type="button" class="quiet danger" onClick={onDelete}>
        Delete the room
      </button>
    </div>
  </form>
)

const Delete = ({ project, room, path, detail, onDone }: Props) => {
  const isUp = detail.status !== "hibernated" && detail.status !== "closed"
  return (
    <Confirm
      title="Delete this room?"
      act="Delete"
      typed={room}
      onAct={async () => {
        const query = isUp ? "?force=true" : ""
        const refusal = refusalIn(await ask({ method: "DELETE", path: `${path}${query}` }))
        if (refusal === null) go(addressOf({ _tag: "Project", project, page: "rooms" }))
        return refusal
      }}
      onClose={onDone}
    >
      <p>
        <b>
          <Tenant text={room} max={128} />
        </b>{" "}
        goes with its state and its saves, for good.
        {isUp && " It is up: its players are sent away first."} The next player who joins this id
        finds a new room.
      </p>
    </Confirm>
  )
}
