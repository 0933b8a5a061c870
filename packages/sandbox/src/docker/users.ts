/** Commands run as `nobody`. */
export const commandUser = 65534;
/** Who keeps the container alive: commands can neither kill it nor look into it. */
export const keeperUser = 65533;
