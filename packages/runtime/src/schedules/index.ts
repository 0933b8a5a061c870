export type { ScheduleChanges } from './change-schedule.ts';
export type { NewSchedule } from './create-schedule.ts';
export {
  createScheduler,
  type Scheduler,
  type SchedulerOptions,
  type SchedulerProblem,
} from './create-scheduler.ts';
export type { ScheduleStore } from './look-at-schedule.ts';
export type { Moment, NewRule } from './new-schedule.ts';
export { nextTime, nextTimes } from './next-time.ts';
export type { ScheduleLimits } from './schedule-desk.ts';
export { type ScheduleRule, type ScheduleSpec, scheduleSpecSchema } from './schedule-spec.ts';
export { type ScheduleToolsOptions, scheduleTools } from './schedule-tools.ts';
export type { ScheduleView } from './schedule-view.ts';
export {
  createSchedules,
  type ScheduleFilter,
  type Schedules,
  type SchedulesOptions,
} from './schedules-api.ts';
