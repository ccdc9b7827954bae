import { useSignal } from "@preact/signals"

import { parameter, setParameters } from "../app/Location.ts"
import { Empty } from "../parts/Empty.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { BoardsOfPlayer } from "./BoardsOfPlayer.tsx"
import { KvPanel } from "./KvPanel.tsx"
import { WherePanel } from "./WherePanel.tsx"

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
        {player !== null && (
          <div class="panels" key={player}>
            <WherePanel project={project} player={player} />
            <KvPanel project={project} player={player} />
            <BoardsOfPlayer project={project} player={player} />
          </div>
        )}
      </div>
    </>
  )
}
