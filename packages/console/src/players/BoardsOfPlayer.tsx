import type { BoardRead } from "@atrium/domain/boards/BoardsApi"
import type { Project } from "@atrium/domain/projects/ProjectsApi"

import { Empty } from "../parts/Empty.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"
import type { PlayerProps } from "./WherePanel.tsx"

/** Boards that a page asks for at once: each is an open endpoint with a rate. */
const boardsMax = 12

/** The scores of a player. */
export const BoardsOfPlayer = ({ project, player }: PlayerProps) => {
  const path = `/v1/projects/${encodeURIComponent(project)}`
  const read = useRead<Project>(path, 60_000)
  return (
    <ReadPanel title="Scores" read={read} asked={{ method: "GET", path, credential: "login" }}>
      {({ boards }) => {
        // Boards with buckets have a score in each, and no route tells which there are.
        const names = Object.entries(boards).flatMap(([name, { buckets }]) =>
          buckets === true ? [] : [name]
        )
        return names.length === 0 ? (
          <Empty title="No board to look at.">
            <p>
              Declare <code>boards</code> in <code>service.json</code>, and deploy.
            </p>
          </Empty>
        ) : (
          <>
            <ul class="scores">
              {names.slice(0, boardsMax).map((board) => (
                <Score key={board} project={project} player={player} board={board} />
              ))}
            </ul>
            {names.length > boardsMax && <p class="sub-line">Further boards are not shown.</p>}
          </>
        )
      }}
    </ReadPanel>
  )
}

const Score = ({ project, player, board }: PlayerProps & { board: string }) => {
  const query = new URLSearchParams({ project, each: "1" })
  const path = `/v1/leaderboard/${encodeURIComponent(board)}/around/${encodeURIComponent(player)}?${query.toString()}`
  const { last, refused } = useRead<BoardRead>(path, 60_000).state.value
  const row = last?.value.rows.find(({ playerId }) => playerId === player)
  return (
    <li>
      <b>
        <Tenant text={board} max={64} />
      </b>{" "}
      {refused !== null ? (
        <span class="faint">
          <Tenant text={refused.message} max={300} />
        </span>
      ) : row === undefined ? (
        <span class="faint">{last === null ? "…" : "no score"}</span>
      ) : (
        <>
          {countText(row.score)}, rank {countText(row.rank)}, <Moment at={row.at} />
        </>
      )}
    </li>
  )
}
