"""The tests of others that fail, each with the reason: what the server does not offer. A test that is not here must pass."""

EVENTS = "it needs events"
JOURNALS = "it needs journals"
SCHEDULING = "it needs scheduling"
FREE_BUSY = "it needs free-busy times, which come from events"
PRINCIPALS = "it searches other principals; a token knows only itself"
ASCII = "the id of a list has at most 64 ASCII letters, digits and . _ ~ -"
CONTROL = "a path must not have control characters, such as %0A"


def _of(reason, names):
    return dict.fromkeys(names.split(), reason)


VDIRSYNCER = {
    **_of(EVENTS, """
        test_generic[VEVENT] test_get_multi_duplicates[VEVENT] test_upload_already_existing[VEVENT] test_upload[VEVENT] test_update[VEVENT]
        test_update_nonexisting[VEVENT] test_wrong_etag[VEVENT] test_delete[VEVENT] test_list[VEVENT] test_has[VEVENT]
        test_update_others_stay_the_same[VEVENT] test_discover[VEVENT] test_create_collection[VEVENT] test_case_sensitive_uids[VEVENT]
        test_recurring_events[VEVENT] test_dav_unicode_href[VEVENT] test_timerange_correctness test_item_types_general"""),
    **_of(ASCII, "test_specialchars[VTODO] test_specialchars[VEVENT]"),
    **_of(CONTROL, "test_newline_in_uid[VTODO] test_newline_in_uid[VEVENT]"),
}

PYTHON_CALDAV = {
    **_of(EVENTS, """
        testIssue397 testSearchShouldYieldData testChangeAttendeeStatusWithEmailGiven testMultiGet testCreateEvent testNamedCalendarUrlIsUsable
        testCreateEventFromiCal[Calendar] testCreateEventFromiCal[Event] testAlarm testFoldedLongUID testNoOverwriteSameUidOtherUrl
        testRawDataRoundTrip testObjectBySyncToken testObjectBySyncTokenNeverIssued testSync testLoadEvent testCopyEvent
        testCreateCalendarAndEventFromVobject testGetSupportedComponents testSearchEvent testCreateChildParent testSearchCompType
        testSearchWithoutCompType testSearchWithoutCompTypeWithDateRange testSearchWithoutCompTypeWithCategory testUtf8Event testUnicodeEvent
        testLookupEvent testCreateOverwriteDeleteEvent testRecurringDateSearch testRecurringDateWithExceptionSearch testCancelSingleRecurrence
        testEditSingleRecurrence"""),
    **_of(JOURNALS, "testCreateJournalListAndJournalEntry"),
    **_of(SCHEDULING, "testSupport testSchedulingMailboxes"),
    **_of(FREE_BUSY, "testDateSearchAndFreeBusy"),
    **_of(PRINCIPALS, "testPrincipals"),
}

# Features of caldav-server-tester that are not `full`.
SERVER_TESTER = {
    **_of(EVENTS, """
        save-load.event.no-dtend save-load.event.no-summary save-load.event.timezone save-load.icalendar.related-to search.is-not-defined
        search.is-not-defined.category search.is-not-defined.class search.is-not-defined.dtend search.recurrences
        search.recurrences.includes-implicit.todo search.recurrences.includes-implicit.todo.pending search.text.case-insensitive
        search.text.case-sensitive search.text.category search.time-range.alarm search.time-range.comp-type-optional search.time-range.event
        search.time-range.event.old-dates search.time-range.open search.time-range.open.start.duration search.time-range.todo.no-dtstart
        search.time-range.todo.old-dates search.unlimited-time-range"""),
    **_of(JOURNALS, "save-load.journal"),
    **_of(SCHEDULING, "scheduling"),
    **_of(FREE_BUSY, "freebusy-query"),
    **_of(PRINCIPALS, "principal-search"),
}
