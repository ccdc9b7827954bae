/** Icons of the menu, on a grid of 16. */
const paths = {
  rooms: "M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z",
  hour: "M2 13.5h12M4 11V7.5m4 3.5V4m4 7V6",
  logs: "M3.5 2.5h9v11h-9zM5.5 5.5h5m-5 2.5h5m-5 2.5h3",
  projects: "M2.5 4.5v8.5h11V5.5H8L6.5 3.5h-4z"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path
      d={paths[name]}
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
)
