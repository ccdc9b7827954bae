import type { BoardRead } from "@atrium/domain/boards/BoardsApi"
import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { useSignal } from "@preact/signals"

import { parameter, setParameters } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { addressOfPlayer } from "../players/PlayerPath.ts"
import { useRead } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"
import { plainText } from "../text/ShownText.ts"

type Row = BoardRead["rows"][number]

/** The boards of a project, and the first scores of one. */
export const BoardsPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}`
  const { last, refused } = useRead<Project>(path, 30_000).state.value
  const boards = Object.entries(last?.value.boards ?? {})
  const [chosen, rules] =
    boards.find(([name]) => name === parameter("board")) ?? boards[0] ?? ([null, null] as const)
  return (
    <>
      <PageHead project={project} title="Boards" />
      {refused !== null && <Fault refusal={refused} />}
      {last === null ? (
        refused === null && <Waiting />
      ) : chosen === null || rules === null ? (
        <div class="panel">
          <Empty title="No board yet.">
            <p>
              Declare <code>boards</code> in <code>service.json</code> and deploy, or in the{" "}
              <Link to={addressOf({ _tag: "Project", project, page: "settings" })}>settings</Link>.
              Room code writes scores with <code>room.leaderboard.submit</code>.
            </p>
          </Empty>
        </div>
      ) : (
        <Top
          key={chosen}
          project={project}
          board={chosen}
          hasBuckets={rules.buckets === true}
          all={boards.map(([name]) => name)}
        />
      )}
    </>
  )
}

interface TopProps {
  readonly project: string
  readonly board: string
  readonly hasBuckets: boolean
  readonly all: ReadonlyArray<string>
}

const Top = ({ project, board, hasBuckets, all }: TopProps) => {
  const period = useSignal("")
  const bucket = useSignal("")
  const query = new URLSearchParams({ project, limit: "100" })
  if (period.value !== "") query.set("period", period.value)
  if (bucket.value !== "") query.set("bucket", bucket.value)
  const path = `/v1/leaderboard/${encodeURIComponent(board)}/top?${query.toString()}`
  const read = useRead<BoardRead>(path, 10_000)
  return (
    <ReadPanel
      title="First scores"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      command={{
        words: ["boards", "top"],
        flags: {
          limit: 100,
          period: period.value === "" ? undefined : period.value,
          bucket: bucket.value === "" ? undefined : bucket.value,
          project
        },
        values: [board]
      }}
      above={
        <Choice
          board={board}
          all={all}
          onPeriod={(text) => (period.value = text)}
          onBucket={hasBuckets ? (text) => (bucket.value = text) : null}
        />
      }
    >
      {({ period: shown, rows }) => (
        <>
          {shown !== null && (
            <p class="sub-line">
              Period <Tenant text={shown} max={80} />
            </p>
          )}
          {rows.length === 0 ? (
            <Empty title="No score yet.">
              <p>
                Room code writes them with <code>room.leaderboard.submit</code>.
              </p>
            </Empty>
          ) : (
            <Table
              label="Scores"
              columns={columnsOf(project)}
              rows={rows}
              keyOf={({ playerId }) => playerId}
              step={100}
            />
          )}
        </>
      )}
    </ReadPanel>
  )
}

interface ChoiceProps {
  readonly board: string
  readonly all: ReadonlyArray<string>
  readonly onPeriod: (text: string) => void
  /** `null` = the board has no buckets. */
  readonly onBucket: ((text: string) => void) | null
}

const Choice = ({ board, all, onPeriod, onBucket }: ChoiceProps) => (
  <div class="filters">
    <select
      aria-label="Board"
      value={board}
      onChange={({ currentTarget }) => setParameters({ board: currentTarget.value })}
    >
      {all.map((name) => (
        <option key={name} value={name}>
          {plainText(name, 60)}
        </option>
      ))}
    </select>
    <input
      type="search"
      aria-label="Period"
      placeholder="This period"
      onChange={({ currentTarget }) => onPeriod(currentTarget.value)}
    />
    {onBucket !== null && (
      <input
        type="search"
        aria-label="Bucket"
        placeholder="Bucket"
        onChange={({ currentTarget }) => onBucket(currentTarget.value)}
      />
    )}
  </div>
)

const columnsOf = (project: string): ReadonlyArray<TableColumn<Row>> => [
  { title: "Rank", number: true, cell: ({ rank }) => countText(rank) },
  {
    title: "Player",
    cell: ({ playerId }) => (
      <Link to={addressOfPlayer(project, playerId)}>
        <Tenant text={playerId} max={60} inControl />
      </Link>
    )
  },
  { title: "Score", number: true, cell: ({ score }) => countText(score) },
  { title: "When", when: "roomy", cell: ({ at }) => <Moment at={at} /> }
]
