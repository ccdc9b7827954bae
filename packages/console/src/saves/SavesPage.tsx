import type { RoomDetail, Save } from "@atrium/domain/rooms/RoomsApi"
import { type Signal, useSignal } from "@preact/signals"

import { parameter, setParameters } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Empty } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { More } from "../parts/More.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Status } from "../parts/Status.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { roomPath } from "../room/RoomPath.ts"
import { type Read, useRead } from "../service/Reads.ts"
import type { Refusal } from "../service/Service.ts"
import { countText } from "../text/Numbers.ts"
import { Branch } from "./Branch.tsx"
import { ChangesPanel } from "./ChangesPanel.tsx"
import { ContentPanel } from "./ContentPanel.tsx"
import { Restore } from "./Restore.tsx"
import { download, type SavedRoom } from "./SaveFiles.ts"
import { SaveLine } from "./SaveLine.tsx"
import { chosenOf, idsAfter } from "./SaveText.ts"

const everyMs = 5000
/** Saves that are drawn at first, and at each click: a room of many versions has thousands. */
const drawnStep = 100

/** The saves of a room: looked into, compared, downloaded, put back. Source: C-777. */
export const SavesPage = ({ project, room }: { project: string; room: string }) => {
  const path = roomPath(project, room)
  const facts = useRead<RoomDetail>(path, everyMs)
  const saves = useRead<ReadonlyArray<Save>>(`${path}/saves`, everyMs)
  const rooms = addressOf({ _tag: "Project", project, page: "rooms" })
  const own = addressOf({ _tag: "Room", project, room })
  const { last, refused } = facts.state.value
  return (
    <>
      <PageHead
        project={project}
        title="Saves"
        trail={
          <>
            <Link to={rooms}>Rooms</Link> /{" "}
            <Link to={own}>
              <Tenant text={room} max={60} inControl />
            </Link>
          </>
        }
        mark={last !== null && <Status room={last.value} />}
      />
      {refused !== null && refused.status === 404 ? (
        <div class="panel">
          <Empty title="There is no such room.">
            <p>
              It may have been deleted with its saves. <Link to={rooms}>All rooms</Link>
            </p>
          </Empty>
        </div>
      ) : (
        <Saves at={{ project, room, type: last?.value.type ?? null }} read={saves} />
      )}
    </>
  )
}

interface Props {
  /** `null` = the type is not known yet. */
  readonly at: Omit<SavedRoom, "type"> & { readonly type: string | null }
  readonly read: Read<ReadonlyArray<Save>>
}

const Saves = ({ at, read }: Props) => {
  const ids = [parameter("save"), parameter("with")]
  const { last } = read.state.value
  const chosen = chosenOf(last?.value ?? [], ids)
  const { type } = at
  const room = type === null ? null : { ...at, type }
  return (
    <div class="saves-page">
      <ListPanel at={at} read={read} ids={ids} />
      {chosen._tag === "None" || room === null ? (
        <div class="panel">
          <Empty title="Nothing is chosen.">
            <p>Tick one save to see what is in it, or two to see what differs.</p>
          </Empty>
        </div>
      ) : chosen._tag === "One" ? (
        <ContentPanel key={chosen.save.saveId} room={room} save={chosen.save} />
      ) : (
        <ChangesPanel
          key={`${chosen.before.saveId} ${chosen.after.saveId}`}
          room={room}
          before={chosen.before}
          after={chosen.after}
        />
      )}
    </div>
  )
}

/** What a reader is asked about a save. */
interface Asked {
  readonly what: "branch" | "restore"
  readonly save: Save
}

const ListPanel = ({ at, read, ids }: Props & { readonly ids: ReadonlyArray<string | null> }) => {
  const asked = useSignal<Asked | null>(null)
  const done = useSignal<string | null>(null)
  const failed = useSignal<Refusal | null>(null)
  const { project, room } = at
  const path = roomPath(project, room)
  const { last } = read.state.value
  const count = last?.value.length ?? 0
  return (
    <ReadPanel
      title={last === null ? "Saves" : `${countText(count)} ${count === 1 ? "save" : "saves"}`}
      read={read}
      asked={{ method: "GET", path: `${path}/saves`, credential: "key" }}
      command={{ words: ["rooms", "saves"], flags: { project }, values: [room] }}
      above={
        <>
          {failed.value !== null && <Fault refusal={failed.value} />}
          {done.value !== null && (
            <p class="done" role="status">
              {done.value}
            </p>
          )}
        </>
      }
    >
      {(saves) => (
        <>
          {saves.length === 0 ? (
            <NoSaves />
          ) : (
            <SaveList at={at} saves={saves} ids={ids} asked={asked} failed={failed} />
          )}
          {asked.value?.what === "branch" && (
            <Branch
              project={project}
              room={room}
              save={asked.value.save}
              onClose={() => (asked.value = null)}
            />
          )}
          {asked.value?.what === "restore" && (
            <Restore
              path={path}
              room={room}
              save={asked.value.save}
              onQueued={(text) => {
                done.value = text
                read.again()
              }}
              onClose={() => (asked.value = null)}
            />
          )}
        </>
      )}
    </ReadPanel>
  )
}

const NoSaves = () => (
  <Empty title="No save yet.">
    <p>
      The room is saved when it falls asleep, every few minutes while it plays, and on{" "}
      <code>room.save()</code> of its code.
    </p>
  </Empty>
)

interface ListProps {
  readonly at: Props["at"]
  readonly saves: ReadonlyArray<Save>
  readonly ids: ReadonlyArray<string | null>
  readonly asked: Signal<Asked | null>
  readonly failed: Signal<Refusal | null>
}

const SaveList = ({ at, saves, ids, asked, failed }: ListProps) => {
  const drawn = useSignal(drawnStep)
  const hidden = saves.length - drawn.value
  const choose = (saveId: string): void => {
    const [save, second] = idsAfter(ids, saveId)
    setParameters({ save, with: second })
  }
  return (
    <ol class="saves">
      {saves.slice(0, drawn.value).map((save) => (
        <SaveLine
          key={save.saveId}
          save={save}
          isChosen={ids.includes(save.saveId)}
          onChoose={() => choose(save.saveId)}
          onDownload={() => void download(at, save.saveId).then((why) => (failed.value = why))}
          onBranch={() => (asked.value = { what: "branch", save })}
          onRestore={() => (asked.value = { what: "restore", save })}
        />
      ))}
      {hidden > 0 && (
        <li class="save">
          <More left={hidden} onClick={() => (drawn.value += drawnStep)} />
        </li>
      )}
    </ol>
  )
}
