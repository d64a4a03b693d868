/** An application whose forms combine the constructs of forms. Each action of its one step shows some of them. */

/** Definition of the application. */
export const VISITS = `
application: { id: Visits, name: Visits, organisation: Acme, variant: hosted, platformVersion: 25 }

operators:
  ada@acme: { name: Ada }
  ben@acme: { name: Ben }

dataTypes:
  Acme-Visits-Data-Country:
    name: Country
    key: [Code]
    savable: D_Countries
    fields: { Code: { type: Text, required: true }, Name: { type: Text } }
  Acme-Visits-Data-Region:
    name: Region
    key: [Country, Code]
    savable: D_RegionRecords
    fields:
      Country: { type: Text, required: true }
      Code: { type: Text, required: true }
      Name: { type: Text }
  Acme-Visits-Data-Town:
    name: Town
    key: [Code]
    savable: D_TownRecords
    fields: { Code: { type: Text, required: true }, Region: { type: Text }, Name: { type: Text } }
  Acme-Visits-Data-Depot:
    name: Depot
    key: [ID]
    savable: D_DepotRecords
    fields:
      ID: { type: Integer, required: true }
      City: { type: Text, label: City }
      Zip: { type: Text }
      Size: { type: Dropdown, values: [Small, Large] }
    views:
      Card: { fields: [City, Zip] }
  Acme-Visits-Data-Skill:
    name: Skill
    key: [ID]
    savable: D_Skills
    fields: { ID: { type: Integer, required: true }, Text: { type: Text } }

dataViews:
  D_Countries: { name: Countries, source: records, class: Acme-Visits-Data-Country }
  D_RegionRecords: { name: Regions, source: records, class: Acme-Visits-Data-Region }
  D_Regions:
    name: Regions of a country
    source: records
    class: Acme-Visits-Data-Region
    parameters: { Country: {} }
    filter: [{ field: Country, parameter: Country }]
  D_TownRecords: { name: Towns, source: records, class: Acme-Visits-Data-Town }
  D_Towns:
    name: Towns of a region
    source: records
    class: Acme-Visits-Data-Town
    parameters: { Region: {} }
    filter: [{ field: Region, parameter: Region }]
  D_TownsOfRegion:
    name: Towns of a given region
    source: records
    class: Acme-Visits-Data-Town
    parameters: { Region: { required: true } }
    filter: [{ field: Region, parameter: Region }]
  D_DepotRecords: { name: Depots, source: records, class: Acme-Visits-Data-Depot }
  D_Depots:
    name: Depots of a size
    source: records
    class: Acme-Visits-Data-Depot
    parameters: { Size: {} }
    filter: [{ field: Size, parameter: Size }]
  D_Skills: { name: Skills, source: records, class: Acme-Visits-Data-Skill }
  D_Visits: { name: Visits, source: cases, caseTypes: [Acme-Visits-Work-Visit] }

caseTypes:
  Acme-Visits-Work-Visit:
    name: Visit
    prefix: V
    workPool: ACME-VISITS-WORK
    label: "'Visit of ' + Purpose"
    fields:
      Purpose: { type: Text, label: Purpose, help: "The reason, e.g. a & b.", maxLength: 20 }
      Kind: { type: Dropdown, values: [Air, Rail, Sea], show: radio }
      Class: { type: Dropdown, label: Class, values: [First, Second], show: cards }
      Urgent: { type: Boolean, label: Urgent }
      Locked: { type: Boolean, label: Locked }
      Days: { type: Integer, label: Days }
      Weight: { type: Decimal }
      Share: { type: Percentage }
      Fee: { type: Currency, currency: .FeeCode }
      Price: { type: Currency, currency: NOK }
      FeeCode: { type: Text, label: Currency of the fee }
      Total: { type: Currency, currency: NOK, calculated: Fee * 2.0 }
      Day: { type: Date }
      At: { type: DateTime }
      Start: { type: Time }
      Story: { type: RichText }
      Notes: { type: TextArea }
      Mail: { type: Email }
      Phone: { type: Phone, label: Phone }
      Site: { type: Url }
      Lead: { type: UserReference }
      Plan: { type: Attachment, category: Plan, extensions: [pdf, txt] }
      Country: { type: Dropdown, choices: { from: D_Countries, value: Code, text: Name } }
      Region: { type: Dropdown, choices: { from: D_Regions, value: Code, text: Name, parameters: { Country: .Country } } }
      Town: { type: Dropdown, choices: { from: D_Towns, value: Code, text: Name, parameters: { Region: .Region } } }
      Port: { type: Dropdown, choices: { from: D_TownsOfRegion, value: Code, text: Name, parameters: { Region: .Region } } }
      Number:
        type: Integer
        label: Number of the depot
        choices: { from: D_DepotRecords, value: ID, text: City, inForm: true, set: { Zip: Zip } }
      Zip: { type: Text, label: Zip }
      Shared: { type: Integer, choices: { from: D_Skills, value: ID, text: Text, inForm: true, loaded: true } }
      Listed: { type: Dropdown, choices: { from: D_Countries, value: Code, text: Name, loaded: true } }
      Depot: { type: Reference, label: Depot, to: Acme-Visits-Data-Depot, from: D_DepotRecords, text: City, columns: [City, Size] }
      Nearby: { type: Reference, to: Acme-Visits-Data-Depot, from: D_DepotRecords, text: City, show: autocomplete }
      Hub: { type: Reference, to: Acme-Visits-Data-Depot, from: D_DepotRecords, text: City, show: table, columns: [City, Size] }
      Size: { type: Dropdown, values: [Small, Large], show: radio }
      Store:
        type: Reference
        to: Acme-Visits-Data-Depot
        from: D_Depots
        text: City
        show: simpleTable
        parameters: { Size: .Size }
        columns: [City, Size]
      Camp: { type: Reference, to: Acme-Visits-Data-Depot, from: D_DepotRecords, text: City, show: cards }
      Area: { type: Reference, to: Acme-Visits-Data-Region, from: D_RegionRecords, text: Name, columns: [Name] }
      Earlier: { type: Reference, label: Earlier visit, to: Acme-Visits-Work-Visit }
      Skills: { type: MultiSelect, to: Acme-Visits-Data-Skill, text: Text }
      Tools: { type: Reference, multiple: true, to: Acme-Visits-Data-Skill, text: Text, show: table, columns: [Text] }
      Plans: { type: Reference, multiple: true, to: Acme-Visits-Data-Skill, text: Text, show: simpleTable, columns: [Text] }
      Checks: { type: Reference, multiple: true, to: Acme-Visits-Data-Skill, text: Text, show: checkboxes }
      Home:
        type: Page
        class: Acme-Visits-Data-Home
        fields:
          City: { type: Text, label: City of the home }
          Capital: { type: Boolean }
          Mayor: { type: Text }
          Depot: { type: Reference, to: Acme-Visits-Data-Depot, from: D_DepotRecords, text: City }
          Rooms: { type: List, class: Acme-Visits-Data-Room, fields: { Name: { type: Text } } }
        views:
          EditHome: { fields: [City, Capital, { field: Mayor, visible: "Capital && size(City) > 2" }] }
          Places: { fields: [Depot, Rooms] }
          Review: { readOnly: true, highlighted: [Capital], fields: [City] }
          Both: { fields: [City, Mayor] }
      Stops:
        type: List
        label: Stops
        class: Acme-Visits-Data-Stop
        fields:
          City: { type: Text, label: City, required: true }
          Kind: { type: Dropdown, values: [Day, Night] }
          Day: { type: Date }
          Paid: { type: Boolean }
          Fee: { type: Currency, currency: NOK }
          Double: { type: Currency, currency: NOK, calculated: Fee * 2.0 }
          Note: { type: Text }
          Country: { type: Dropdown, choices: { from: D_Countries, value: Code, text: Name } }
          Region: { type: Dropdown, choices: { from: D_Regions, value: Code, text: Name, parameters: { Country: .Country } } }
          Depot: { type: Reference, to: Acme-Visits-Data-Depot, from: D_DepotRecords, text: City }
          Guests: { type: List, class: Acme-Visits-Data-Guest, fields: { Name: { type: Text } } }
        views:
          StopForm: { fields: [City, Fee, Double, { field: Note, visible: size(City) > 4 }] }
          StopEdit: { fields: [{ field: City, readOnly: true }, Note] }
          StopGuests: { fields: [City, Depot, Guests] }
          StopCard: { fields: [City, Fee] }
      Main: { type: Copy, label: Main stop, of: Legs, key: City }
      Legs:
        type: List
        class: Acme-Visits-Data-Leg
        fields: { City: { type: Text }, Fee: { type: Currency, currency: NOK } }
        views: { LegCard: { fields: [City, Fee] } }
    views:
      Both: { fields: [Purpose, { field: Home, view: Both }] }
      Summary:
        readOnly: true
        highlighted: [Kind]
        fields: [Purpose, { field: Home, view: EditHome }]
    stages:
      PRIM0:
        name: Plan
        transition: create
        processes:
          Plan:
            steps:
              Enter:
                instructions: Say where you go.
                next: [{ step: Enter }]
                actions:
                  Simple: { fields: [Purpose, Days] }
                  SameName: { view: Both }
                  Plain: { fields: [Home, Stops] }
                  AboutHome: { page: Home, view: EditHome }
                  ThreeTimes:
                    fields:
                      - group: Where
                        fields: [{ field: Home.City, required: true }]
                      - { field: Home, view: EditHome, label: Address }
                      - { field: Home, view: Review, label: As stored }
                  Conditions:
                    fields:
                      - Kind
                      - Urgent
                      - group: Flight
                        visible: Kind == 'Air'
                        fields: [Price, { field: Home.City, visible: Urgent }]
                      - group: Long
                        visible: size(Purpose) > 3
                        fields: [Notes]
                      - { group: Always, fields: [Purpose] }
                      - { field: Home, view: EditHome }
                      - { field: Stops, rows: repeating, rowView: StopForm }
                  Unknown: { fields: [Purpose, { field: Notes, visible: "Stops[0].City == 'Oslo'" }] }
                  Grammar:
                    fields:
                      - Kind
                      - Days
                      - Urgent
                      - { field: Zip, visible: "(Kind == 'Air' || Kind == 'Sea') && !Urgent" }
                      - { field: Notes, visible: "Days > -2 && Days != 3 && !(Kind == 'Rail' && Days >= 7)" }
                      - { field: Mail, required: "Kind.startsWith('A') || Kind.endsWith('l') || !Kind.contains('e')" }
                  Operators:
                    fields:
                      - Purpose
                      - Days
                      - Urgent
                      - { field: Zip, visible: Days == 5 }
                      - { field: FeeCode, visible: Days != -3 }
                      - { field: Notes, visible: Days < 5 }
                      - { field: Story, visible: Days <= 5 }
                      - { field: Mail, visible: Days > 5 }
                      - { field: Site, visible: Days >= 5 }
                      - { field: Weight, visible: "Purpose == 'To the  fair (&&)'" }
                      - { field: Share, visible: Purpose != 'Fair' }
                      - { field: Fee, visible: Purpose.contains(' the ') }
                      - { field: Price, visible: "!Purpose.contains('fair')" }
                      - { field: Day, visible: Purpose.startsWith('To') }
                      - { field: Start, visible: "!Purpose.startsWith('To')" }
                      - { field: Size, visible: Purpose.endsWith(')') }
                      - { field: Class, visible: "!Purpose.endsWith(')')" }
                      - { field: Kind, visible: "!(Days > 5 && Urgent) || Purpose == 'Fair'" }
                      - { field: Locked, visible: Purpose == Zip }
                      - { field: Phone, visible: 'Purpose == "Ada\\u0027s fair"' }
                  Local:
                    fields: [Kind, { field: Zip, visible: "Kind != 'Rail' && !Urgent" }, { field: Mail, required: Kind == 'Air' }]
                  Chosen: { fields: [{ field: Depot, details: Card }, Nearby] }
                  Checkboxes: { fields: [Urgent, { field: Locked, label: The dates are final }] }
                  Formats:
                    fields:
                      [Purpose, Notes, Story, Days, Weight, Share, Fee, FeeCode, Price, Urgent, Day, At, Start, Phone, Mail, Site, Kind, Class, Lead]
                  Details: { fields: [Days, { view: Summary, label: Overview }, Total, { field: Home, view: EditHome, readOnly: true }] }
                  Choices: { fields: [Country, Region, Town, Number, Zip, Shared, Listed] }
                  Ports: { fields: [Region, Port] }
                  RowChoices: { fields: [{ field: Stops, columns: [City, Country, Region] }] }
                  Copy: { fields: [{ field: Main, details: LegCard }] }
                  Table: { fields: [{ field: Stops, required: true, columns: [City, Kind, Day, Paid] }] }
                  Dialog: { fields: [{ field: Stops, columns: [City, Fee], editing: modal, rowView: StopForm, editView: StopEdit }] }
                  RowAction: { fields: [{ field: Stops, columns: [City], editing: action, rowView: StopForm }] }
                  Repeating:
                    fields:
                      - { field: Stops, rows: repeating, rowView: StopCard, heading: Stop }
                      - { field: Stops, rows: repeating, rowView: StopCard, heading: .City, readOnly: true, label: Review }
                  Allowed:
                    fields:
                      - Locked
                      - field: Stops
                        columns: [City, Fee]
                        allowAdd: "!Locked"
                        allowMove: false
                        allowRowEdit: City != 'Oslo'
                        allowRowDelete: City != 'Bergen'
                  Fixed: { fields: [{ field: Stops, columns: [City, Fee], allowTableEdit: false }] }
                  Shown:
                    fields:
                      - Purpose
                      - { field: Stops, columns: [City, Fee], editing: modal, rowView: StopForm, readOnly: true }
                  Nested: { fields: [{ field: Home, view: Places }, { field: Stops, rows: repeating, rowView: StopGuests }] }
                  Single: { fields: [{ field: Depot, details: Card }, Nearby, Hub, Size, Store, Camp, Area, Earlier] }
                  Multiple: { fields: [Skills, Tools, Checks] }
                  ReadOnly:
                    fields:
                      - { field: Depot, readOnly: true }
                      - { field: Earlier, readOnly: true }
                      - { field: Tools, readOnly: true }
                      - { field: Plans, readOnly: true }
                      - { field: Skills, readOnly: true }
                      - Kind
                      - { group: Flight, visible: Kind == 'Air', fields: [Hub] }
                  People: { fields: [Plan, Lead, Phone, Story] }
                  Go: { fields: [Purpose], next: [{ stage: PRIM1 }] }
      PRIM1:
        name: Travel
        processes:
          Travel:
            steps:
              Pack:
                type: screens
                screens:
                  Bags:
                    name: Bags
                    screens: { Big: { fields: [Weight] }, Small: { fields: [Days] } }
                  Tickets: { fields: [Kind] }
    actions:
      Note: { name: Add a note, fields: [{ field: Notes, required: true }, { field: Stops, columns: [City] }] }
    attachmentCategories: { Plan: { name: Plan } }
`;
