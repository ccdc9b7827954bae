import type { ReplayRow } from "@atrium/domain/replay/ReplaysApi"
import { type Signal, useSignal } from "@preact/signals"

import { addressOf } from "../app/Routes.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn } from "../service/Acts.ts"
import { type Read, useRead } from "../service/Reads.ts"
import { ask } from "../service/Service.ts"
import { bytesText } from "../text/Numbers.ts"
import { clockText } from "./ClockText.ts"

/** The clips and recordings of a project: watched, and deleted. Source: C-829. */
export const ReplaysPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/replays`
  const read = useRead<ReadonlyArray<ReplayRow>>(path, 10_000)
  const deleted = useSignal<ReplayRow | null>(null)
  return (
    <>
      <PageHead project={project} title="Replays" />
      <ReadPanel
        title="Clips and recordings"
        read={read}
        asked={{ method: "GET", path, credential: "key" }}
        command={{ words: ["replays"], flags: { project } }}
      >
        {(replays) => (
          <>
            {replays.length === 0 ? (
              <Empty title="No replay yet.">
                <p>
                  Declare <code>replay</code> in a room's schema. Room code makes clips with{" "}
                  <code>room.replay.clip</code>.
                </p>
              </Empty>
            ) : (
              <Table
                label="Replays"
                columns={columnsOf(project, (replay) => (deleted.value = replay))}
                rows={replays}
                keyOf={({ replayId }) => replayId}
              />
            )}
            <Delete path={path} read={read} deleted={deleted} />
          </>
        )}
      </ReadPanel>
    </>
  )
}

interface DeleteProps {
  readonly path: string
  readonly read: Read<ReadonlyArray<ReplayRow>>
  readonly deleted: Signal<ReplayRow | null>
}

const Delete = ({ path, read, deleted }: DeleteProps) => {
  const replay = deleted.value
  if (replay === null) return null
  return (
    <Confirm
      title={`Delete this ${replay.kind}?`}
      act="Delete"
      onAct={async () =>
        refusalIn(
          await ask({ method: "DELETE", path: `${path}/${encodeURIComponent(replay.replayId)}` })
        )
      }
      onClose={() => {
        deleted.value = null
        read.again()
      }}
    >
      <p>
        It shows{" "}
        <b>
          <Tenant text={replay.roomId} max={60} />
        </b>
        . Its link stops, for good.
      </p>
    </Confirm>
  )
}

const columnsOf = (
  project: string,
  onDelete: (replay: ReplayRow) => void
): ReadonlyArray<TableColumn<ReplayRow>> => [
  {
    title: "Room",
    cell: ({ roomId, kind, running }) => (
      <>
        <Link to={addressOf({ _tag: "Room", project, room: roomId })}>
          <Tenant text={roomId} max={60} inControl />
        </Link>
        <span class="under">{running ? `${kind}, runs` : kind}</span>
      </>
    )
  },
  { title: "Length", number: true, cell: ({ seconds }) => clockText(seconds * 1000) },
  { title: "Size", number: true, when: "roomy", cell: ({ bytes }) => bytesText(bytes) },
  { title: "Made", when: "roomy", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Expires", when: "wide", cell: ({ expiresAt }) => <Moment at={expiresAt} as="time" /> },
  {
    title: "Watch",
    cell: ({ replayId }) => (
      <a href={`/replay/${encodeURIComponent(replayId)}`} target="_blank" rel="noopener">
        Watch
      </a>
    )
  },
  {
    title: "Delete",
    number: true,
    cell: (replay) => (
      <button type="button" class="quiet small danger" onClick={() => onDelete(replay)}>
        Delete
      </button>
    )
  }
]
