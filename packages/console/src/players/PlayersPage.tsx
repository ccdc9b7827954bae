import type { PlayerRecord } from "@atrium/domain/accounts/PlayersApi"
import { useSignal } from "@preact/signals"

import { parameter, setParameters } from "../app/Location.ts"
import { Empty } from "../parts/Empty.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { useRead } from "../service/Reads.ts"
import { BoardsOfPlayer } from "./BoardsOfPlayer.tsx"
import { DevicesPanel, RatingsPanel } from "./DevicesPanel.tsx"
import { KeptPanel } from "./KeptPanel.tsx"
import { KvPanel } from "./KvPanel.tsx"
import { playerPath } from "./PlayerPath.ts"
import { type PlayerProps, WherePanel } from "./WherePanel.tsx"

/** One player, by id: where it is, and what is kept of it. */
export const PlayersPage = ({ project }: { project: string }) => {
  const player = parameter("player")
  const typed = useSignal(player ?? "")
  return (
    <>
      <PageHead project={project} title="Players" />
      <div class="panels">
        <div class="panel">
          <form
            class="filters"
            onSubmit={(event) => {
              event.preventDefault()
              setParameters({ player: typed.value })
            }}
          >
            <input
              type="search"
              aria-label="Id of the player"
              placeholder="pl_0123456789abcdef"
              value={typed.value}
              onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
            />
            <button class="quiet">Show</button>
          </form>
          {player === null && (
            <Empty title="Whom do you look for?">
              <p>
                Type the id of a player. The page of a room lists those who are in it, and a board
                those who have a score.
              </p>
            </Empty>
          )}
        </div>
        {player !== null && <Player key={player} project={project} player={player} />}
      </div>
    </>
  )
}

const Player = ({ project, player }: PlayerProps) => {
  /** After a deletion everything is read anew. */
  const round = useSignal(0)
  return (
    <div class="panels">
      <Kept key={round.value} project={project} player={player} />
      <KeptPanel project={project} player={player} onDeleted={() => round.value++} />
    </div>
  )
}

const Kept = (of: PlayerProps) => {
  const read = useRead<PlayerRecord>(playerPath(of.project, of.player), 30_000)
  return (
    <div class="panels">
      <WherePanel {...of} />
      <DevicesPanel {...of} read={read} />
      <KvPanel {...of} />
      <RatingsPanel {...of} read={read} />
      <BoardsOfPlayer {...of} />
    </div>
  )
}
